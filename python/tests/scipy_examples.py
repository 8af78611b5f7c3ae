"""The examples in SciPy's own documentation of the functions that Mastaba has: pytest -p scipy_proof scipy_examples.py.

Under the plugin SciPy's names are Mastaba's functions, so each example runs as its page says, with another function behind it. Text is
compared as it is printed, numbers in it within 1e-3, and what is below 1e-7, errors mostly, counts as the same. Lines that draw are left out, and pictures that SciPy downloads are replaced by a
pattern.
"""
import doctest
import math
import re
import warnings

import numpy as np
import pytest
import scipy.datasets
import scipy.fft
from scipy_proof import ORIGINALS

import mastaba

_NUMBER = re.compile(r"(?<![A-Za-z_\d])[+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|\.\d+|inf\b|nan\b)")
_DRAWS = re.compile(r"\b(plt|ax(?!is\b|es\b)\w*|fig\w*)\b|matplotlib|\.imshow\(")
_OTHERWISE = (  # lines, or what is in their results, that come out otherwise, and why
    ("cubature", "0.16666667, 0.14285714", "SciPy gives the shape (1, 10), too, which its page leaves out"),
    ("cubature", "1.8921661", "and here (1,)"),
    ("cubature", "-0.79812452", "its arguments are random"),
    ("nquad", "'neval'", "another rule takes another number of evaluations"),
    ("quad", "integrate.quad(y, -1, 10000)", "the page shows how QUADPACK misses a peak, which is found here"),
    ("tanhsinh", "tanhsinh(f, -np.inf, 1000).integral", "the page shows an inaccurate result"),
    ("choose_conv_method", "method", "what is faster is measured on other machines"),
)
_VARIES = re.compile(r"may vary|random|at 0x")
_FUNCTIONS = {**{f"scipy.fft.{name}": getattr(scipy.fft, name) for name in mastaba.fft.__all__ if hasattr(scipy.fft, name)}, **ORIGINALS}


def _same(want, got):
    """Whether two texts are the same but for the last digits of their numbers."""
    texts = [re.sub(r"\s+|,(?=\s*[\])])", "", _NUMBER.sub("#", re.sub(r"\bnp\.\w+?\(([^()]*)\)", r"\1", text))) for text in (want, got)]
    numbers = [[float(n) for n in _NUMBER.findall(text)] for text in (want, got)]
    return texts[0] == texts[1] and len(numbers[0]) == len(numbers[1]) and \
        all(math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-7) or a != a and b != b for a, b in zip(*numbers))


class _Checker(doctest.OutputChecker):
    def check_output(self, want, got, flags):
        return bool(_VARIES.search(want)) or super().check_output(want, got, flags) or _same(want, got)


def _pattern(gray=True):
    y, x = np.mgrid[:512, :512]
    image = ((np.sin(x / 9) * np.cos(y / 17) + 1) * 127).astype(np.uint8)
    return image if gray else np.stack([image] * 3, -1)


@pytest.mark.parametrize("name", sorted(_FUNCTIONS))
def test_example(name, monkeypatch):
    for picture in ("ascent", "face"):
        monkeypatch.setattr(scipy.datasets, picture, _pattern)
    examples = [example for example in doctest.DocTestParser().get_examples(_FUNCTIONS[name].__doc__ or "")
                if not _DRAWS.search(example.source)]
    for example in examples:
        if any(name.endswith("." + function) and (example.source.strip() == text or text in example.want) for function, text, _ in _OTHERWISE):
            example.want = "may vary"
    test = doctest.DocTest(examples, {"np": np}, name, None, 0, None)
    runner = doctest.DebugRunner(_Checker(), optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            runner.run(test, out=lambda text: None)
        except doctest.DocTestFailure as failure:
            pytest.fail(f"{failure.example.source}wanted {failure.example.want}got {failure.got}", pytrace=False)
        except doctest.UnexpectedException as failure:
            raise failure.exc_info[1]
