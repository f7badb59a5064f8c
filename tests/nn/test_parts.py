"""Parts by kind: error messages, and a new part in a single new file."""

import importlib.util
import sys
import types

import pytest
import torch
from pydantic import ValidationError

from stages.nn.parts import make, part_class
from stages.nn.recurrent import Recurrent
from stages.settings import studies
from stages.settings.errors import UserError
from stages.settings.studies import Choice

REVERSE = '''
from torch import nn


class Reverse(nn.Module):
    """The embeddings, last first, times `factor`."""

    def __init__(self, width, factor):
        super().__init__()
        self.size, self.factor = width, factor

    def forward(self, embedded, lengths, mask):
        states = embedded.flip(1) * self.factor
        return states, states[:, 0]
'''


SIZES = {
    "encoders": {"width": 4},
    "scores": {"size": 4, "pair": False},
    "projections": {},
    "heads": {"size": 4, "outputs": 1},
}


@pytest.mark.parametrize(
    ("part", "options", "message"),
    [
        (
            "encoders bilstm",
            {"hidden": 2, "layers": 3},
            "has no option 'layers'; allowed: hidden, orthogonal",
        ),
        ("encoders average", {"hidden": 2}, "needs the option 'activation'"),
        ("encoders none", {"width": 4}, "has no option 'width'; allowed: none"),
        ("scores additive", {"divisor": 2, "scale": 1}, "has no option 'scale'; allowed: divisor"),
        ("projections softmax", {"strength": 0.5}, "has no option 'strength'; allowed: none"),
        ("projections sparsegen", {}, "needs the option 'strength'"),
        ("heads linear", {"bias": True, "logit_dropout": 0.0}, "needs the option 'xavier'"),
    ],
)
def test_options_are_those_of_the_class(part, options, message):
    folder, kind = part.split()
    with pytest.raises(UserError) as refused:
        make(folder, Choice(kind=kind, **options), **SIZES[folder])
    assert str(refused.value) == f"params.yaml: {part} {message}"


@pytest.mark.parametrize(
    ("field", "allowed"),
    [
        ("encoder", "affine, average, bigru, bilstm, cnn, conv, none, transformer"),
        ("score", "additive, context, dot"),
        ("projection", "frozen, softmax, sparsegen, sparsemax, uniform"),
        ("head", "linear, pair"),
    ],
)
def test_an_unknown_kind_is_refused_with_the_allowed_ones(settings, field, allowed):
    with pytest.raises(ValidationError) as refused:
        settings(**{field: {"kind": "magic"}})
    (error,) = refused.value.errors()
    assert error["loc"] == (field,)
    assert error["msg"].endswith(f"'magic' is unknown; allowed: {allowed}")


@pytest.mark.parametrize("strength", [1, 1.0, 3.5, "much"])
def test_lambda_of_sparsegen_is_below_one(settings, strength):
    with pytest.raises(ValidationError, match="must be a number below 1"):
        settings(projection={"kind": "sparsegen", "strength": strength})


def test_context_is_passed_only_if_the_class_takes_it():
    part = make("scores", Choice(kind="context", scale=2.0), size=4, pair=True)
    assert part.vector.shape == (4,)
    assert make("projections", Choice(kind="sparsegen", strength=0.5)).rate == 2


def module_with(*classes):
    """A module `stages.nn.encoders.new` that defines these classes."""
    module = types.ModuleType("stages.nn.encoders.new")
    for name in classes:
        attributes = {"__module__": module.__name__}
        setattr(module, name, type(name, (torch.nn.Module,), attributes))
    module.Recurrent = Recurrent  # imported, not defined
    return module


def test_the_class_is_the_only_public_module_of_its_file():
    module = module_with("New", "_Helper")
    assert part_class(module) is module.New


@pytest.mark.parametrize(("classes", "names"), [((), "none"), (("New", "Newer"), "New, Newer")])
def test_a_file_without_exactly_one_public_module_is_refused(classes, names):
    with pytest.raises(UserError) as refused:
        part_class(module_with(*classes))
    assert str(refused.value) == (
        f"stages/nn/encoders/new.py must define exactly one public nn.Module, defined: {names}"
    )


@pytest.fixture
def reverse(tmp_path, monkeypatch):
    """A project with one more file in stages/nn/encoders."""
    for folder in ("encoders", "scores", "projections", "heads"):
        (tmp_path / folder).mkdir()
        for file in (studies.PARTS / folder).glob("*.py"):
            (tmp_path / folder / file.name).touch()
    file = tmp_path / "encoders" / "reverse.py"
    file.write_text(REVERSE, encoding="utf-8")
    name = "stages.nn.encoders.reverse"
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(studies, "PARTS", tmp_path)


@pytest.mark.usefixtures("reverse")
def test_a_new_encoder_is_one_file_and_one_entry(model, inputs, architecture, score):
    built = model(architecture, encoder={"kind": "reverse", "factor": 2.0}, score=score)
    output = built(inputs(architecture))
    assert output.logits.shape == (5, 3)
    torch.testing.assert_close(output.weights.sum(1), torch.ones(5), atol=1e-5, rtol=0)
    if architecture == "flat":
        expected = 2 * built.embedding(inputs().tokens).flip(1)
        assert torch.equal(output.encoded.states, expected)


@pytest.mark.usefixtures("reverse")
def test_a_new_encoder_is_among_the_allowed_and_its_options_are_checked(settings):
    with pytest.raises(ValidationError, match="none, reverse, transformer"):
        settings(encoder={"kind": "forward"})
    with pytest.raises(UserError, match="encoders reverse needs the option 'factor'"):
        make("encoders", settings(encoder={"kind": "reverse"}).encoder, width=3)
