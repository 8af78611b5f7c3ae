"""Finite differences: against plain NumPy, and what a Solver keeps and gives back."""
import numpy as np
import pytest

import mastaba

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


def test_keys_of_the_program():
    with pytest.raises(mastaba.errors.UnsupportedError, match="mask"):
        mastaba.Solver({**HEAT, "mask": "x < 3"})
