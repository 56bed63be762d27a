"""A scene over a grid of its keys."""

from __future__ import annotations

import importlib.util
import itertools
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Literal

from ._drystone import Scene, Simulation
from .errors import Error, InvalidError

Row = dict[str, Any]
Measure = Callable[[Simulation], Mapping[str, Any]]

_RESULTS = (
    "time",
    "steps",
    "contacts_final",
    "contacts_max",
    "broken_joints",
    "joint_error_max",
    "max_penetration",
    "max_penetration_final",
    "mean_penetration_final",
    "kinetic_energy_final",
    "potential_energy_final",
    "residual_rms_max",
    "residual_max",
    "runaway_steps",
)
"""Numbers of a summary that a row has: those that are the same on every machine of one kind."""

# A run, so that it can be sent to another process: the scene's text, its path, keys and values, steps, measure, threads.
_Job = tuple[str, str, dict[str, Any], "int | None", "Measure | None", int]


def study(
    scene: str | os.PathLike[str] | Scene,
    grid: Mapping[str, Sequence[Any]],
    *,
    on: Literal["auto", "ray", "dask", "processes"] = "auto",
    steps: int | None = None,
    measure: Measure | None = None,
    workers: int | None = None,
    threads: int = 1,
    table: Literal["auto", "list", "pandas"] = "auto",
) -> Any:
    """Runs a scene once for each combination of its keys' values and collects one table.

    ``scene`` is a file, or a `Scene`. ``grid`` gives keys lists of values, as in ``{"materials.glass.friction": [0.1, 0.2], "simulation.seed": range(1, 6)}``; keys are
    those of ``values`` in `Scene.load`. The last key varies fastest. ``steps`` takes the place of the scene's number of steps.

    ``on`` says where runs are made: ``"ray"``, on the cluster that is connected, else on one of this machine's; ``"dask"``, on the current client, else on a cluster of
    this machine's; ``"processes"``, in a pool of processes, for which a script needs ``if __name__ == "__main__":``; ``"auto"``, what is connected, else what is installed of Ray and Dask, in this
    order, else processes. Machines of a cluster need drystone installed, and the scene's meshes where the path says. ``workers`` is the number of runs at a time where this starts them,
    by default one a core; each run has ``threads`` threads.

    A row has the values of the grid, the final values of the scene's probes, the numbers of its summary that do not depend on time of day (see ``row`` of the README), one verdict for each
    expectation (``expect_0``, ...), what ``measure``, called with the `Simulation` at its end, gives, and ``error``: ``None``, or what a run that failed raised. No other run is lost for it.

    The result is a ``pandas.DataFrame`` where pandas is installed and ``table`` does not ask for a ``"list"`` of dictionaries. Rows are in the order of the grid,
    and the same wherever the runs were made.

    Raises `SceneError` before any run if a combination is no scene.
    """
    if on not in ("auto", "ray", "dask", "processes"):
        raise InvalidError(f"invalid on: `{on}` given; `auto`, `ray`, `dask` or `processes` is expected")
    if table not in ("auto", "list", "pandas"):
        raise InvalidError(f"invalid table: `{table}` given; `auto`, `list` or `pandas` is expected")
    if workers is not None and workers < 1:
        raise InvalidError(f"invalid workers: {workers} given; at least 1 is expected")
    text, path = _text_of(scene)
    cells = list(_cells(grid))
    for cell in cells:
        Scene.parse(text, path, values=cell, steps=steps)
    jobs: list[_Job] = [(text, path, cell, steps, measure, threads) for cell in cells]
    place = _place() if on == "auto" else on
    runs = {"ray": _on_ray, "dask": _on_dask, "processes": _on_processes}[place]
    return _as_table(_filled(runs(jobs, workers)), table)


def _text_of(scene: str | os.PathLike[str] | Scene) -> tuple[str, str]:
    """The text of a scene, and the path that other files are relative to."""
    if isinstance(scene, Scene):
        return scene.toml, os.path.abspath(scene.path or "scene.toml")
    # What is wrong with the file is told of it.
    Scene.load(scene)
    path = os.path.abspath(scene)
    return Path(path).read_text(encoding="utf-8"), path


def _cells(grid: Mapping[str, Iterable[Any]]) -> Iterable[dict[str, Any]]:
    """Every combination, the last key varying fastest."""
    lists = {}
    for key, values in grid.items():
        if isinstance(values, (str, bytes)):
            raise InvalidError(f"invalid grid: the values of `{key}` are a string; a list of values is expected")
        lists[key] = [value.item() if hasattr(value, "item") else value for value in values]
        if not lists[key]:
            raise InvalidError(f"invalid grid: `{key}` has no values")
    return (dict(zip(lists, values)) for values in itertools.product(*lists.values()))


def _run(job: _Job) -> Row:
    """One run, wherever it is made."""
    text, path, cell, steps, measure, threads = job
    row: Row = dict(cell)
    try:
        simulation = Simulation(Scene.parse(text, path, values=cell, steps=steps), threads=threads)
        try:
            simulation.run()
            error = None
        except Error as failed:
            error = str(failed)
        summary = simulation.summary
        row.update({f"probe_{name}": value for name, value in simulation.probes.items()})
        row.update({name: summary[name] for name in _RESULTS})
        verdicts = enumerate(summary["expectations"])
        row.update({f"expect_{at}": found["verdict"] for at, found in verdicts})
        if measure is not None and error is None:
            row.update(measure(simulation))
        row["error"] = error
    except Error as failed:
        row["error"] = str(failed)
    return row


def _filled(rows: list[Row]) -> list[Row]:
    """Rows with the same columns, ``None`` where one has no value; the error comes last."""
    columns = dict.fromkeys(column for row in rows for column in row if column != "error")
    return [{**{column: row.get(column) for column in columns}, "error": row["error"]} for row in rows]


def _place() -> str:
    """Where runs are made if nothing says so."""
    ray = sys.modules.get("ray")
    if ray is not None and ray.is_initialized():
        return "ray"
    if _dask_client() is not None:
        return "dask"
    if importlib.util.find_spec("ray") is not None:
        return "ray"
    if importlib.util.find_spec("distributed") is not None:
        return "dask"
    return "processes"


def _cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _on_processes(jobs: list[_Job], workers: int | None) -> list[Row]:
    # Spawned: a process that is forked has none of the threads of its parent.
    context = multiprocessing.get_context("spawn")
    count = min(workers or _cores(), len(jobs))
    with ProcessPoolExecutor(count, mp_context=context) as pool:
        try:
            return list(pool.map(_run, jobs))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _on_ray(jobs: list[_Job], workers: int | None) -> list[Row]:
    ray = _imported("ray")
    started = not ray.is_initialized()
    if started:
        ray.init(num_cpus=workers or _cores(), include_dashboard=False, log_to_driver=False)
    try:
        remote = ray.remote(_run)
        futures = [remote.options(num_cpus=job[-1]).remote(job) for job in jobs]
        rows: list[Row] = ray.get(futures)
        return rows
    finally:
        if started:
            ray.shutdown()


def _dask_client() -> Any:
    """The client of Dask that is connected, if there is one."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        return distributed.get_client()
    except ValueError:
        return None


def _on_dask(jobs: list[_Job], workers: int | None) -> list[Row]:
    distributed = _imported("distributed")
    client = _dask_client()
    if client is not None:
        return _gathered(client, jobs)
    cluster = distributed.LocalCluster(
        n_workers=min(workers or _cores(), len(jobs)), threads_per_worker=1, dashboard_address=None
    )
    with cluster, distributed.Client(cluster, set_as_default=False) as client:
        return _gathered(client, jobs)


def _gathered(client: Any, jobs: list[_Job]) -> list[Row]:
    futures = client.map(_run, jobs, pure=False)
    rows: list[Row] = client.gather(futures)
    return rows


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        raise InvalidError(f"invalid on: {name} is not installed") from missing


def _as_table(rows: list[Row], table: str) -> Any:
    if table == "list" or (table == "auto" and importlib.util.find_spec("pandas") is None):
        return rows
    pandas = importlib.import_module("pandas")
    return pandas.DataFrame(rows)
