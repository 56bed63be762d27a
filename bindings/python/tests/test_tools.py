"""Types, documentation, the notebook and the examples."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import drystone
import nbclient
import nbformat
import pytest

from conftest import ROOT

HERE = ROOT / "bindings/python"
EXAMPLES = sorted((HERE / "examples").glob("*.py"))


def run(*arguments: str, **settings: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "MPLBACKEND": "Agg", **settings},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_everything_is_documented() -> None:
    def public(of: Any) -> list[str]:
        return [name for name in vars(of) if not name.startswith("_")]

    missing = [name for name in drystone.__all__ if callable(getattr(drystone, name)) and not getattr(drystone, name).__doc__]
    for name in ("Scene", "Simulation", "Problem", "Plan", "Solution", "WarmStart"):
        kind = getattr(drystone, name)
        missing += [f"{name}.{member}" for member in public(kind) if not inspect.getdoc(getattr(kind, member))]
    assert missing == []


def test_stubs_are_the_native_module() -> None:
    settings = ["--mypy-config-file", str(HERE / "pyproject.toml")]
    assert "Success" in run("-m", "mypy.stubtest", "drystone", *settings)


def test_types_hold_in_the_package_and_its_tests() -> None:
    settings = ["--config-file", str(HERE / "pyproject.toml")]
    run("-m", "mypy", *settings, "-p", "drystone")
    run("-m", "mypy", *settings, str(HERE / "tests"), *map(str, EXAMPLES))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_run(path: Path) -> None:
    run("-W", "error", str(path))


@pytest.mark.parametrize("path", [ROOT / "README.md", HERE / "README.md"], ids=["repository", "package"])
def test_lines_of_the_readmes_run(path: Path) -> None:
    blocks = path.read_text().split("```python\n")[1:]
    assert blocks
    for block in blocks:
        given = 'import drystone\nscene = "scenes/basics/column40.toml"\n'
        run("-W", "error", "-c", given + block.split("```")[0])


def test_the_notebook_runs(tmp_path: Path) -> None:
    notebook: Any = nbformat.read(  # type: ignore[no-untyped-call]
        HERE / "examples/brazil_nut.ipynb", as_version=4
    )
    assert not any(cell.get("outputs") for cell in notebook.cells)
    (parameters,) = (cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", []))
    assert "duration = 12.0" in parameters.source
    parameters.source = parameters.source.replace("duration = 12.0", "duration = 0.1")
    nbclient.NotebookClient(
        notebook, timeout=240, kernel_name="python3", resources={"metadata": {"path": str(HERE / "examples")}}
    ).execute()
    plots = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    assert len(plots) == 3


def test_the_version_is_that_of_the_crate() -> None:
    assert f'version = "{drystone.__version__}"' in (HERE / "Cargo.toml").read_text().splitlines()
    assert f'version = "{drystone.__version__}"' in (ROOT / "Cargo.toml").read_text().splitlines()
