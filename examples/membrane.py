#!/usr/bin/env python3
"""A square membrane that is struck: its energy stays, and the tones in what one point records are those of the membrane."""
import numpy as np

import mastaba

N, STEPS, DT = 127, 4000, 0.6
membrane = {"grid": [N, N], "precision": "float64", "time_step": DT,
            "fields": {"u": {"initial": "exp(-((x - 40)^2 + (y - 50)^2)/50)", "levels": 2}},
            "update": [{"u": "2*u - u.prev + dt^2*laplace(u)"}],
            "receivers": [{"field": "u", "at": [[30, 70]]}]}

solver = mastaba.Solver(membrane)
solver.run(STEPS, callback=lambda s: print(f"step {s.step}: largest {np.abs(s['u']).max():.3f}"), every=STEPS // 4)
record = solver.receiver()[:, 0] * np.hanning(STEPS)
spectrum = np.abs(mastaba.fft.rfft(record, 2**15))
tone = np.argmax(spectrum[:2000]) / 2**15 / DT  # cycles a unit of time

modes = np.add.outer(*[np.sin(np.pi * np.arange(1, 40) / (2 * (N + 1)))**2] * 2)  # of the grid: sin^2(pi f dt) = dt^2 (.. + ..)
tones = np.arcsin(DT * np.sqrt(modes)) / (np.pi * DT)
nearest = tones.ravel()[np.argmin(np.abs(tones - tone))]
print(f"the loudest tone: {tone:.6f}, a mode of the membrane: {nearest:.6f}")
assert abs(tone - nearest) < 1 / (STEPS * DT)
