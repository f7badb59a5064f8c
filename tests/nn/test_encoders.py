"""Each encoder against a plain loop over positions with the module's own weights."""

import numpy as np
import pytest
import torch

from stages.nn.encoders.transformer import positions
from stages.nn.parts import make
from stages.settings.studies import Choice

WIDTH = 3
LENGTHS = torch.tensor([5, 3])  # with start and end: three words and one
MASK = torch.tensor([[False, True, True, True, False], [False, True, False, False, False]])


@pytest.fixture
def embedded():
    """Two documents (2, 5, 3); padding is zero, as the embedding makes it."""
    torch.manual_seed(2)
    drawn = torch.randn(2, 5, WIDTH)
    drawn[1, 3:] = 0
    return drawn


def make_encoder(kind, width=WIDTH, **options):
    torch.manual_seed(0)
    return make("encoders", Choice(kind=kind, **options), width=width)


def run(part, embedded):
    """States and summary as float64 arrays."""
    states, summary = part.eval()(embedded, LENGTHS, MASK)
    assert states.shape == (2, 5, part.size)
    assert summary.shape == (2, part.size)
    return states.detach().double().numpy(), summary.detach().double().numpy()


def arrays(module):
    return {name: value.detach().double().numpy() for name, value in module.named_parameters()}


def convolved(weight, bias, document):
    """ReLU of a convolution (T, filters) with zero padding."""
    filters, _, width = weight.shape
    states = np.zeros((len(document), filters))
    for t in range(len(document)):
        for f in range(filters):
            total = bias[f]
            for k in range(width):
                at = t + k - width // 2
                if 0 <= at < len(document):
                    total += weight[f, :, k] @ document[at]
            states[t, f] = max(total, 0)
    return states


def check_convolutions(part, names, inputs, embedded):
    states, summary = run(part, embedded)
    weights = arrays(part)
    for i, document in enumerate(inputs.double().numpy()):
        expected = np.hstack(
            [convolved(weights[f"{n}.weight"], weights[f"{n}.bias"], document) for n in names]
        )
        expected *= MASK[i].numpy()[:, None]
        np.testing.assert_allclose(states[i], expected, atol=1e-6)
        np.testing.assert_allclose(summary[i], expected.max(0), atol=1e-6)
    assert states.any()
    assert not states[~MASK.numpy()].any()  # start, end and padding


def test_cnn_reads_start_and_end_but_has_no_state_there(embedded):
    part = make_encoder("cnn", filters=2, kernels=(1, 3, 5, 7))
    assert part.size == 8
    check_convolutions(part, [f"convolutions.{i}" for i in range(4)], embedded, embedded)


def test_conv_does_not_read_what_is_masked(embedded):
    part = make_encoder("conv", filters=3, dropout=0.3)
    assert part.size == 6
    check_convolutions(part, ["three", "five"], embedded * MASK[..., None], embedded)


def test_conv_drops_in_training_only(embedded):
    part = make_encoder("conv", filters=3, dropout=0.5)
    whole, _ = part.eval()(embedded, LENGTHS, MASK)
    again, _ = part(embedded, LENGTHS, MASK)
    dropped, _ = part.train()(embedded, LENGTHS, MASK)
    assert torch.equal(whole, again)
    assert not torch.allclose(whole, dropped)


@pytest.mark.parametrize(
    ("activation", "function"), [("tanh", np.tanh), ("relu", lambda x: np.maximum(x, 0))]
)
def test_average_maps_each_token_alone(activation, function, embedded):
    part = make_encoder("average", hidden=4, activation=activation)
    states, summary = run(part, embedded)
    weights = arrays(part.layer)
    for i, length in enumerate(LENGTHS.tolist()):
        document = embedded[i, :length].double().numpy()
        expected = np.array([function(weights["weight"] @ x + weights["bias"]) for x in document])
        np.testing.assert_allclose(states[i, :length], expected, atol=1e-6)
        np.testing.assert_allclose(summary[i], expected.mean(0), atol=1e-6)


@pytest.mark.parametrize("bias", [True, False])
def test_affine_is_a_linear_map_of_each_token(bias, embedded):
    part = make_encoder("affine", bias=bias)
    states, summary = run(part, embedded)
    weights = arrays(part.layer)
    assert set(weights) == ({"weight", "bias"} if bias else {"weight"})
    for i, document in enumerate(embedded.double().numpy()):
        expected = np.array([weights["weight"] @ x + weights.get("bias", 0) for x in document])
        np.testing.assert_allclose(states[i], expected, atol=1e-6)
        np.testing.assert_allclose(summary[i], expected[MASK[i]].mean(0), atol=1e-6)


def test_no_encoder_returns_the_embeddings(embedded):
    part = make_encoder("none")
    states, summary = run(part, embedded)
    assert np.array_equal(states, embedded.double().numpy())
    assert part.size == WIDTH
    np.testing.assert_allclose(summary[0], states[0, 1:4].mean(0), atol=1e-6)
    np.testing.assert_allclose(summary[1], states[1, 1], atol=1e-6)


TRANSFORMER = {"size": 4, "layers": 2, "heads": 2, "feedforward": 8, "dropout": 0.1}


def test_transformer_depends_on_positions_and_the_whole_document(embedded):
    part = make_encoder("transformer", **TRANSFORMER)
    states, summary = run(part, embedded)
    assert np.array_equal(summary, states[:, 0])
    turned, _ = run(part, embedded.flip(1)[[0, 0]])
    assert np.abs(turned[0, ::-1] - states[0]).max() > 1e-2
    changed = embedded.clone()
    changed[0, 4] += 1  # the last token changes the first state
    moved, _ = run(part, changed)
    assert np.abs(moved[0, 0] - states[0, 0]).max() > 1e-3
    assert np.array_equal(moved[1, :3], states[1, :3])


def test_transformer_does_not_read_padding(embedded):
    changed = embedded.clone()
    changed[1, 3:] = 7
    part = make_encoder("transformer", **TRANSFORMER)
    states, changed_states = run(part, embedded)[0], run(part, changed)[0]
    np.testing.assert_allclose(changed_states[1, :3], states[1, :3], atol=1e-6)


def test_positions_by_hand():
    # size 4: rates 10000^0 = 1 and 10000^(-2/4) = .01; sine and cosine of step * rate
    expected = [[0.0, 1.0, 0.0, 1.0], [0.84147098, 0.54030231, 0.00999983, 0.99995000]]
    torch.testing.assert_close(
        positions(torch.arange(2), 4), torch.tensor(expected), atol=1e-6, rtol=0
    )


def test_gru_initialisation_of_serrano_and_smith():
    part = make_encoder("bigru", width=20, hidden=50)
    ones = list(range(37, 74))  # 150 // 4 = 37
    for layer in (part.forwards, part.backwards):
        assert layer.bias_hh_l0.nonzero().flatten().tolist() == ones
        assert layer.bias_hh_l0[ones].tolist() == [1.0] * 37
        assert not layer.bias_ih_l0.any()
        square = layer.weight_hh_l0.detach()  # (150, 50)
        torch.testing.assert_close(square.T @ square, torch.eye(50), atol=1e-5, rtol=0)
        bound = (6 / (20 + 150)) ** 0.5
        assert 0.99 * bound < float(layer.weight_ih_l0.detach().abs().max()) <= bound
    assert not torch.equal(part.forwards.weight_ih_l0, part.backwards.weight_ih_l0)


@pytest.mark.parametrize("orthogonal", [True, False])
def test_lstm_matrices_are_orthogonal_if_set(orthogonal):
    part = make_encoder("bilstm", width=4, hidden=5, orthogonal=orthogonal)
    assert sum(value.ndim == 2 for value in part.parameters()) == 4
    for name, value in part.named_parameters():
        if value.ndim == 2:
            gram = value.detach().T @ value.detach()
            assert torch.allclose(gram, torch.eye(len(gram)), atol=1e-5) == orthogonal, name


def test_size_is_the_width_of_the_states(encoder):
    run(make_encoder(**encoder), torch.randn(2, 5, WIDTH))  # which compares their shapes
