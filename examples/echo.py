#!/usr/bin/env python3
"""Lets a recorded guitar sound in a hall, once as a whole and once as a stream that comes in blocks."""
import pathlib
import wave

import numpy as np

import mastaba

DATA = pathlib.Path(__file__).parent / "data"


def read(name):
    """The first channel of a WAV file of 16 bits."""
    with wave.open(str(DATA / name)) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")[::file.getnchannels()]
    return samples.astype(np.float32) / 2**15


guitar, hall = read("guitar.wav"), read("hall.wav")
whole = mastaba.signal.oaconvolve(guitar, hall)

stream = mastaba.signal.Convolver(hall, latency=1024)
blocks = [guitar[k:k + 4096] for k in range(0, guitar.size, 4096)]  # as a sound card would give them
streamed = np.concatenate(list(stream.stream(blocks)))

difference = np.abs(streamed - whole).max() / np.abs(whole).max()
print(f"{guitar.size} samples of a guitar, {whole.size} in the hall; in blocks the same to {difference:.1e}")
assert difference < 1e-5
