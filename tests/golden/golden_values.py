"""Numbers that Python and C++ compute alike, bit for bit, so that no large tensor needs to be stored.

The C++ twin is tests/support/golden_values.cpp. A value depends on a name and an index:
SplitMix64 over FNV-1a(name) + (index + 1) * golden ratio; its upper 24 bits give a uniform number.
"""

import json
import pathlib

import numpy as np
import torch
from safetensors.torch import save_file

FOLDER = pathlib.Path(__file__).parent
SAMPLES = 256  # entries of each tensor that are stored
PROJECTIONS = 8  # random signs per entry: sums that any wrong entry disturbs


def _mix(z: np.ndarray) -> np.ndarray:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def bits(name: str, count: int) -> np.ndarray:
    key = 0xCBF29CE484222325
    for byte in name.encode():
        key = ((key ^ byte) * 0x100000001B3) % 2**64
    with np.errstate(over="ignore"):
        return _mix(np.uint64(key) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))


def uniform(name: str, count: int) -> np.ndarray:
    """float64 in [0, 1), multiples of 2^-24."""
    return (bits(name, count) >> np.uint64(40)).astype(np.float64) * 2.0**-24


def tensor(name: str, shape, low: float = -1.0, high: float = 1.0) -> torch.Tensor:
    """float32 in [low, high)."""
    values = low + (high - low) * uniform(name, int(np.prod(shape)))
    return torch.from_numpy(values.astype(np.float32)).reshape(shape)


def images(name: str, shape) -> torch.Tensor:
    """uint8 noise."""
    return torch.from_numpy((uniform(name, int(np.prod(shape))) * 256).astype(np.uint8)).reshape(shape)


def weight(name: str, shape) -> torch.Tensor:
    """Convolutions: uniform with variance 2/fan-in. Norm gains: [0.5, 1.5), as fresh ones hide residual branches. Biases: small."""
    if len(shape) == 1:
        return tensor(name, shape, -0.1, 0.1) if name.endswith("bias") else tensor(name, shape, 0.5, 1.5)
    outputs = shape[1] if name.startswith("heads.") else shape[0]
    bound = float(np.sqrt(6.0 / (np.prod(shape) // outputs)))
    return tensor(name, shape, -bound, bound)


def digest(named: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    """Norms, signed sums and samples of every tensor, in order."""
    norms, projections, samples = [], [], []
    for name, value in named.items():
        flat = value.detach().double().contiguous().flatten().numpy()
        norms.append(np.linalg.norm(flat))
        sign_bits = bits("sign " + name, flat.size)
        projections.append([float(((((sign_bits >> np.uint64(j)) & np.uint64(1)).astype(np.float64) * 2 - 1) * flat).sum()) for j in range(PROJECTIONS)])
        count = min(SAMPLES, flat.size)
        samples.append(flat[:: flat.size // count][:count])
    return {
        f"{prefix}_norms": torch.tensor(np.array(norms)),
        f"{prefix}_projections": torch.tensor(np.array(projections)),
        f"{prefix}_samples": torch.tensor(np.concatenate(samples).astype(np.float32)),
    }


def save(file: str, tensors: dict[str, torch.Tensor], **facts) -> None:
    """Facts become metadata, as JSON."""
    import deeplabcut
    import timm

    facts |= {"deeplabcut": deeplabcut.__version__, "timm": timm.__version__, "torch": torch.__version__}
    metadata = {"facts": json.dumps(facts)}
    save_file({k: v.contiguous() for k, v in tensors.items()}, FOLDER / file, metadata=metadata)
    (FOLDER / file).chmod(0o644)  # safetensors writes for the owner alone
    print(f"{file}: {(FOLDER / file).stat().st_size} bytes")
