"""Finite differences: against plain NumPy, and what a Solver keeps and gives back."""
import os
import warnings

import numpy as np
import pytest

import mastaba
from mastaba import Solver

HEAT = {"grid": [24, 40], "precision": "float64", "parameters": {"k": "1/8"}, "fields": {"u": "sin(x/7)*cos(y/5)"},
        "boundary": {"x": "periodic", "y-": "dirichlet 1", "y+": "neumann"}, "update": [{"u": "u + k*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)"}],
        "receivers": [{"field": "u", "at": [[3, 4], [5, "nx - 1"]]}], "monitors": [{"name": "most", "expression": "u", "reduce": "max", "every": 5}],
        "sources": [{"field": "u", "at": [10, 10], "series": "1/(1 + t)"}], "steps": 12}


def heat(u, steps):
    """The same by plain sums; the receivers' values after each step."""
    seen = []
    for step in range(steps):
        v = np.vstack([np.ones(u.shape[1]), u, u[-1]])
        u = u + 0.125 * (v[:-2] + v[2:] + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u)
        u[10, 10] += 1 / (1 + step)
        seen.append([u[3, 4], u[5, -1]])
    return u, np.array(seen)


def initial():
    y, x = np.mgrid[:24, :40]
    return np.sin(x / 7) * np.cos(y / 5)


@pytest.fixture(scope="module")
def solved():
    return mastaba.solve(HEAT)


def test_against_sums(solved):
    u, seen = heat(initial(), 12)
    assert solved.step == 12 and solved.time == 12
    assert np.allclose(solved["u"], u, rtol=0, atol=1e-13)
    assert np.allclose(solved.receiver(0), seen, rtol=0, atol=1e-13)
    assert solved.monitor("most").shape == (2,) and solved.measure("most") == solved["u"].max()
    out = np.empty((24, 40))
    assert solved.read("u", out=out) is out and np.array_equal(out, solved["u"])


def test_arrays_and_files(tmp_path, solved):
    yaml = pytest.importorskip("yaml")
    np.save(tmp_path / "u.npy", initial().astype(">f8"))
    (tmp_path / "p.yaml").write_text(yaml.safe_dump({**HEAT, "fields": {"u": "u.npy"}}))
    of_file = mastaba.solve(tmp_path / "p.yaml")["u"]
    of_array = mastaba.solve(HEAT, fields={"u": np.asfortranarray(initial())}, sources=[
        {"field": "u", "at": [10, 10], "series": 1 / (1 + np.arange(12))}])["u"]
    assert np.array_equal(of_file, of_array) and np.allclose(of_file, solved["u"], rtol=0, atol=1e-13)


def test_checkpoints(tmp_path, solved):
    seen = []
    solver = mastaba.Solver(HEAT)
    solver.run(callback=lambda s: (seen.append(s.step), s.save(tmp_path / "state.npz"), s.step < 8)[-1], every=4)
    assert seen == [4, 8]
    again = mastaba.Solver(HEAT).load(tmp_path / "state.npz")
    assert again.step == 8 and np.array_equal(again.run()["u"], solved["u"])
    with pytest.raises(mastaba.errors.FormatError, match="another"):
        mastaba.Solver(HEAT, time_step=0.5).load(tmp_path / "state.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["state.npz"]
    whole = (tmp_path / "state.npz").read_bytes()
    np.save(tmp_path / "array.npy", np.ones(3))
    with np.load(tmp_path / "state.npz") as state:
        np.savez(tmp_path / "steps.npz", **{**state, "step": np.array([1, 2])})
        np.savez(tmp_path / "grid.npz", **{**state, "grid": np.int64(8)})
    for name, content in (("array.npy", None), ("steps.npz", None), ("grid.npz", None), ("text", b"hello"), ("cut", whole[:len(whole) // 2]),
                          ("hurt", whole[:300] + b"?" + whole[301:])):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(mastaba.errors.FormatError, match=name):
            again.load(tmp_path / name)


def test_checkpoints_have_the_mode_of_files(tmp_path):
    solver, path = mastaba.Solver(HEAT), tmp_path / "state.npz"
    before = os.umask(0o027)
    try:
        solver.save(path)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o640
    path.chmod(0o604)
    solver.save(path)
    assert path.stat().st_mode & 0o777 == 0o604 and [p.name for p in tmp_path.iterdir()] == ["state.npz"]


def test_a_load_that_fails_changes_nothing(tmp_path, monkeypatch):
    solver = mastaba.Solver({"grid": [8], "fields": {"u": "x", "v": "2*x"}, "update": [{"u": "u + 1"}, {"v": "v + 1"}]})
    solver.run(3).save(tmp_path / "state.npz")
    solver.run(2)
    kept, write = [solver["u"], solver["v"]], Solver._set
    with monkeypatch.context() as patch:
        patch.setattr(Solver, "_set", lambda self, arrays, sums, step: (write(self, arrays, sums, step), patch.undo(), 1 / 0))
        with pytest.raises(ZeroDivisionError):
            solver.load(tmp_path / "state.npz")
    assert solver.step == 5 and np.array_equal([solver["u"], solver["v"]], kept)
    assert solver.load(tmp_path / "state.npz").step == 3 and solver["u"][0] == 3


@pytest.mark.parametrize("options, why", [({"steps": -1}, "count from 0"), ({"steps": 5, "callback": 3}, "no function"),
                                          ({"steps": 5, "callback": print, "every": 0}, "from 1")])
def test_refusals_of_runs(solved, options, why):
    with pytest.raises(mastaba.errors.ArgumentError, match=why):
        solved.run(**options)


def test_state_is_set(solved):
    solver = mastaba.Solver(HEAT)
    solver["u"] = 0.25
    assert np.all(solver["u"] == 0.25) and solver.step == 0
    with pytest.raises(KeyError):
        solver["v"]
    with pytest.raises(IndexError):
        solver.receiver(1)


def test_levels_of_a_wave():
    wave = {"grid": [64], "precision": "float64", "fields": {"u": {"initial": "exp(-(x - 32)^2/8)", "levels": 2}}, "boundary": {"x": "periodic"},
            "update": [{"u": "2*u - u.prev + 0.25*(u[-1] - 2*u + u[1])"}]}
    solver = mastaba.Solver(wave).run(9)
    before = solver["u"]
    assert np.array_equal(solver.run(1)["u.prev"], before)


def test_time_step():
    assert mastaba.time_step_limit({**HEAT, "update": [{"u": "u + dt*laplace(u)"}]}) == pytest.approx(0.25, rel=1e-3)
    problem = mastaba._solve.Problem({**HEAT, "time_step": "auto 0.5", "update": [{"u": "u + dt*laplace(u)"}]}, {})
    assert problem.desc.time_step == pytest.approx(0.125, rel=1e-3)


@pytest.mark.parametrize("wrong, why", [
    ({"grid": []}, "grid"), ({"boundary": {"x": "perodic"}}, "boundary.x"), ({"boundary": {"q": "periodic"}}, "boundary.q"),
    ({"fields": {"u": np.zeros((3, 3))}}, "shape"), ({"update": [{"v": "1"}]}, "update.v"), ({"colour": 1}, "colour"),
    ({"receivers": [{"field": "v", "at": [[1, 1]]}]}, "no such field"), ({"update": [{"u": "u +* 2"}]}, "column"),
    ({"spacing": "two"}, "spacing"), ({"monitors": [{"name": "a"}]}, "monitors"),
    ({"monitors": [{"name": "a", "expression": "u", "region": {"x": [1, 5, 0]}}]}, "region.x"), ({"monitors": [{"name": "a", "expression": "u", "region": {"x": [5]}}]}, "region.x"),
    ({"grid": "128"}, "grid"),
    ({"receivers": [{"field": "u", "line": [[0, 0], [5, 5]]}]}, "line"), ({"parameters": ["a"]}, "parameters")])
def test_refusals(wrong, why):
    with pytest.raises(mastaba.errors.ArgumentError, match=why):
        mastaba.Solver({**HEAT, **wrong})


WAVE = {"grid": [20, 30], "precision": "float64", "fields": {"u": {"initial": "exp(-((x-15)^2 + (y-9)^2)/6)", "levels": 2}},
        "update": [{"u": "2*u - u.prev + c^2*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)"}], "steps": 9}
NUMBERS = np.where(np.arange(30) > 17, 7, 0) + np.zeros((20, 1), int)


def test_materials():
    """By numbers, by regions and as a field: the same bits; and a larger limit on the time step where all is slow."""
    of_field = mastaba.solve({**WAVE, "fields": {**WAVE["fields"], "c": {"initial": np.where(NUMBERS == 7, 0.5, 0.3), "coefficient": True}}})["u"]
    table = {"file": NUMBERS, "table": {0: {"c": 0.3}, 7: {"c": "1/2"}}}
    solver = mastaba.solve({**WAVE, "materials": table})
    assert np.array_equal(solver["u"], of_field) and np.array_equal(solver["c"], np.where(NUMBERS == 7, 0.5, 0.3))
    regions = [{"c": 0.3}, {"where": "x > 17", "c": 0.5}]
    assert np.array_equal(mastaba.solve({**WAVE, "materials": regions})["u"], of_field)
    assert np.array_equal(mastaba.solve({**WAVE, "materials": {"regions": regions, "storage": "float32"}})["u"], of_field)


def test_subnormals(tmp_path):
    """None is left where they are flushed; a state of a run that did the other thing is taken with a warning."""
    pulse = {"grid": [21, 97], "fields": {"u": "exp(-((x - 9)^2 + (y - 8)^2)/3)"}, "steps": 20,
             "update": [{"u": "u - 0.2*(u[0,1] - u[0,-1]) + 0.08*(u[0,1] - 2*u + u[0,-1]) + 0.1*(u[1,0] - 2*u + u[-1,0])"}]}
    def count(u):
        return np.count_nonzero((u != 0) & (np.abs(u) < np.finfo(u.dtype).tiny))
    kept, flushed = mastaba.solve(pulse), mastaba.solve(pulse, subnormals="flush")
    assert count(kept["u"]) > 10 and count(flushed["u"]) == 0
    np.testing.assert_allclose(flushed["u"], kept["u"], rtol=1e-6, atol=1e-34)
    flushed.save(tmp_path / "state.npz")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(mastaba.Solver(pulse, subnormals="flush").load(tmp_path / "state.npz")["u"], flushed["u"])
    with pytest.warns(UserWarning, match="its run flushed subnormal numbers, this one keeps them"):
        assert np.array_equal(mastaba.Solver(pulse).load(tmp_path / "state.npz")["u"], flushed["u"])
    kept.save(tmp_path / "state.npz")
    with pytest.warns(UserWarning, match="its run kept subnormal numbers, this one flushes them"):
        assert count(mastaba.Solver(pulse, subnormals="flush").load(tmp_path / "state.npz")["u"]) == 0
    with pytest.raises(mastaba.errors.ArgumentError, match="subnormals: keep or flush, not 'zero'"):
        mastaba.solve(pulse, subnormals="zero")


def test_masks():
    wave = {**WAVE, "fields": {**WAVE["fields"], "c": {"initial": 0.4, "coefficient": True}}}
    held = (NUMBERS == 7) & (np.arange(20)[:, None] < 12)
    by_hand = mastaba.solve(wave, update=[{"u": "x > 17 && y < 12 ? 0.25*t : " + WAVE["update"][0]["u"]}])["u"]
    for where in ("x > 17 && y < 12", held, held.astype(float)):
        assert np.array_equal(mastaba.solve(wave, mask={"where": where, "fields": ["u"], "value": "0.25*t"})["u"], by_hand)
    assert np.all(mastaba.solve(wave, mask=[{"where": held}, {"where": ~held}])["u"] == 0)


def test_runs():
    """Each run of an ensemble has the bits of that problem alone."""
    problem = {**HEAT, "monitors": [], "parameters": {"a": 1, "k": "a/8"}, "time_step": 0.5}
    together = mastaba.solve(problem, runs=[{"a": 0.5}, {}, {"k": 0.2}])
    alone = [mastaba.solve(problem, parameters={"k": k, "a": 1}) for k in (1 / 16, 1 / 8, 0.2)]
    assert together["u"].shape == (3, 24, 40) and all(np.array_equal(u, one["u"]) for u, one in zip(together["u"], alone))
    assert np.array_equal(together.receiver(), [one.receiver() for one in alone])
    table = mastaba.solve(problem, runs={"file": np.array([[1 / 16], [1 / 8], [0.2]]), "parameters": ["k"]})
    assert np.array_equal(table["u"], together["u"])
    from_start = mastaba.Solver(problem, runs=[{"a": 0.5}, {"a": 2}], fields={"u": np.stack([initial(), 2 * initial()])})
    assert np.array_equal(from_start["u"][1], 2 * initial())


def test_runs_of_volumes(tmp_path):
    """The same of grids of three axes, whose checkpoints have layers, too."""
    problem = {"grid": [21, 10, 12], "parameters": {"k": 0.1}, "fields": {"u": "exp(-(z - 9)^2 - k*x)"}, "boundary": {"z": "absorb 5"},
               "update": [{"u": "u + k*(stretch_z(dzz(u)) + dxx(u) + dyy(u))"}], "receivers": [{"field": "u", "at": [[3, 4, 5], [9, 0, 2]]}],
               "monitors": [{"name": "m", "expression": "k*u", "reduce": "sum", "every": 2}], "spectra": [{"field": "u", "frequencies": [0.1]}]}
    values = [0.05, 0.1, 0.15]
    together = mastaba.Solver(problem, runs=[{"k": k} for k in values]).run(4)
    together.save(tmp_path / "half.npz")
    together.run(4)
    alone = [mastaba.Solver(problem, parameters={"k": k}).run(8) for k in values]
    assert together["u"].shape == (3, 21, 10, 12) and all(np.array_equal(u, one["u"]) for u, one in zip(together["u"], alone))
    assert np.array_equal(together.receiver(), [one.receiver() for one in alone])
    assert np.array_equal(together.monitor("m"), [one.monitor("m") for one in alone])
    assert np.array_equal(together.spectrum()[0], [one.spectrum()[0] for one in alone])
    resumed = mastaba.Solver(problem, runs=[{"k": k} for k in values]).load(tmp_path / "half.npz").run(4)
    assert np.array_equal(resumed["u"], together["u"])


def test_spectra(tmp_path):
    frequencies = {"from": 0.01, "to": 0.04, "count": 4}
    problem = {**HEAT, "spectra": [{"field": "2*u", "frequencies": frequencies, "every": 3, "region": {"x": [2, 8, 3], "y": 5}}]}
    solver, wanted = mastaba.Solver(problem), 0
    for step in (3, 6, 9, 12):
        wave = np.exp(-2j * np.pi * np.linspace(0.01, 0.04, 4) * step)[:, None, None]
        wanted = wanted + wave * 2 * solver.run(3)["u"][5:6, 2:9:3] * 3
        if step == 6:
            solver.save(tmp_path / "half.npz")
    assert np.allclose(solver.spectrum(), wanted, rtol=0, atol=1e-12) and solver.spectrum().shape == (4, 1, 3)
    assert np.array_equal(mastaba.Solver(problem).load(tmp_path / "half.npz").run(6).spectrum(), solver.spectrum())
    other = {**problem, "spectra": [{**problem["spectra"][0], "frequencies": [0.01, 0.02]}]}
    there = mastaba.Solver(other)
    before = there["u"].copy()
    with pytest.raises(mastaba.errors.FormatError, match="another spectrum"):
        there.load(tmp_path / "half.npz")
    assert there.step == 0 and np.array_equal(there["u"], before)  # nothing of the file was taken
    several = {**problem, "runs": [{"k": 0.1}, {"k": 0.125}]}
    runs = mastaba.Solver(several).run(6)
    runs.save(tmp_path / f"{'n' * 240}.npz")  # as long a name as file systems take
    assert np.allclose(mastaba.Solver(several).load(tmp_path / f"{'n' * 240}.npz").run(6).spectrum()[:, 1], solver.spectrum(), rtol=0, atol=1e-12)
    with pytest.raises(mastaba.errors.FormatError):
        there.load(tmp_path / f"{'n' * 240}.npz")
    assert mastaba.Solver(HEAT, spectra=[{"field": "u", "frequencies": [0.001]}]).problem.desc.spectra[0].every == 100


def test_sources_of_regions():
    points = [{"field": "u", "at": [y, x], "series": f"{x}*sin(t - {y}/2)"} for y in (3, 4) for x in range(5, 9)]
    wanted = mastaba.solve(HEAT, sources=points)["u"]
    for at in (["3:5", "5:9"], [slice(3, 5), slice(5, 9)]):
        got = mastaba.solve(HEAT, sources=[{"field": "u", "at": at, "series": "sin(t)", "amplitude": "x", "delay": "y/2"}])["u"]
        assert np.allclose(got, wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("wrong, why", [
    ({"materials": {"file": NUMBERS[:24]}}, "materials"), ({"materials": []}, "region"), ({"materials": [{"where": "x", "c": 1}]}, "everywhere"),
    ({"materials": [{"c": 1}, {"c": 2}]}, "where"), ({"materials": {"file": np.zeros((24, 40), int), "table": {1: {"c": 1}}}}, "number 0"),
    ({"materials": {"file": np.zeros((24, 40)), "table": {0: {"c": 1}}}}, "whole"), ({"materials": [{"u": 1}]}, "one name"),
    ({"materials": {"file": np.zeros((24, 40), int), "table": {0: {"c": 1}, 1: {}}}}, "parameters"),
    ({"mask": {"fields": ["u"]}}, "mask"), ({"mask": {"where": "1", "fields": ["v"]}}, "updated"), ({"mask": {"where": np.zeros(3)}}, "shape"),
    ({"runs": [{"q": 1}]}, "runs"), ({"runs": []}, "runs"), ({"runs": {"file": np.ones((2, 2)), "parameters": ["k"]}}, "column"),
    ({"runs": [{"k": 0.1}, {"k": 0.2}], "monitors": [], "spacing": "k"}, "differs"), ({"grid": [4, 4, 4], "runs": [{"k": 1}]}, "axes"),
    ({"spectra": [{"field": "u"}]}, "frequencies"), ({"spectra": [{"field": "u", "frequencies": []}]}, "at least one"),
    ({"sources": [{"field": "u", "at": ["5:5", 2], "series": "1"}]}, "no nodes"), ({"sources": [{"field": "u", "position": [1.5, 2], "amplitude": "x", "series": "1"}]}, "between"),
])
def test_refusals_of_parts(wrong, why):
    with pytest.raises(mastaba.errors.ArgumentError, match=why):
        mastaba.Solver({**HEAT, **wrong})
