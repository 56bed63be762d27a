"""The interpreter's lock, Ctrl-C, several threads, and processes that were forked."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import drystone
import pytest

from conftest import PILE, THREE

LONG = 10**9
"""More steps than any test waits for."""


def test_other_threads_run_while_steps_are_taken() -> None:
    simulation = drystone.Simulation(drystone.Scene.parse(PILE), threads=1)
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    start = time.perf_counter()
    simulation.step(40)
    elapsed, during = time.perf_counter() - start, counted
    done.set()
    counter.join()
    # A call that held the lock would let the other in only between its looks at signals, of which there are some twenty a second.
    assert during > 60 * elapsed, (during, elapsed)


def test_who_asks_while_another_thread_steps_is_told_so() -> None:
    simulation = drystone.Simulation(drystone.Scene.parse(PILE))
    stepper = threading.Thread(target=simulation.step, args=(60,))
    stepper.start()
    refused = 0
    while stepper.is_alive():
        time.sleep(0.001)
        for ask in (lambda: simulation.positions, lambda: simulation.time, simulation.step):
            try:
                ask()
            except RuntimeError as error:
                assert "in use by another thread" in str(error)
                refused += 1
    stepper.join()
    assert refused > 0
    assert simulation.steps >= 60


def test_simulations_of_several_threads_do_not_disturb_each_other() -> None:
    scene = drystone.Scene.parse(PILE)
    alone = drystone.Simulation(scene)
    alone.step(15)
    simulations = [drystone.Simulation(scene) for _ in range(4)]
    threads = [threading.Thread(target=s.step, args=(15,)) for s in simulations]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {s.positions.tobytes() for s in simulations} == {alone.positions.tobytes()}


def test_one_thread_reads_what_another_asks_for() -> None:
    simulation = drystone.Simulation(drystone.Scene.parse(PILE))
    simulation.step(60)
    problem = simulation.problem()
    solution = problem.solve(iterations=1)
    others = [simulation.problem() for _ in range(2)]
    failed: list[BaseException] = []

    def judge(own: drystone.Problem) -> None:
        try:
            for _ in range(30):
                drystone.judge(own, solution.impulses)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=judge, args=(other,)) for other in others]
    for thread in threads:
        thread.start()
    asked = 0
    while any(thread.is_alive() for thread in threads):
        assert solution.impulses.shape == (len(solution.impulses), 3)
        asked += 1
    assert failed == [] and asked > 0


def run(program: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-u", "-W", "error", "-c", textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
def test_an_interrupt_ends_long_steps_between_two_of_them() -> None:
    process = run(
        f"""
        import signal
        # A job in the background may have been started with interrupts ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        import drystone
        simulation = drystone.Simulation(drystone.Scene.parse({THREE!r}))
        print("begins")
        try:
            simulation.step({LONG})
        except KeyboardInterrupt:
            report = simulation.report
            assert simulation.steps == report["step"] > 0
            assert abs(simulation.time - 0.01 * simulation.steps) < 1e-6 * simulation.time
            before = simulation.steps
            simulation.step(3)
            assert simulation.steps == before + 3
            print("interrupted")
        """
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begins\n"
    time.sleep(0.5)
    start = time.perf_counter()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (out, err, process.returncode) == ("interrupted\n", "", 0)
    assert time.perf_counter() - start < 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked as POSIX has it")
def test_a_forked_process_has_threads_of_its_own() -> None:
    process = run(
        f"""
        import os, drystone
        scene = drystone.Scene.parse({PILE!r})
        simulation = drystone.Simulation(scene, threads=2)
        simulation.step(5)
        import warnings
        warnings.simplefilter("ignore")
        child = os.fork()
        simulation.step(5)
        other = drystone.Simulation(scene, threads=2)
        other.step(10)
        assert other.positions.tobytes() == simulation.positions.tobytes()
        if child == 0:
            os._exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    out, err = process.communicate(timeout=60)
    assert (out, err) == ("7\n", "")
