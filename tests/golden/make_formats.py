"""normalize.safetensors: albumentations' Normalize, as DeepLabCut calls it; python_written.safetensors: every type of the format."""

import albumentations
import golden_values as golden
import numpy as np
import torch
from safetensors.torch import save_file

image = golden.images("image", (9, 64, 3))
image[:4, :, 0] = torch.arange(256, dtype=torch.uint8).reshape(4, 64)  # every value in every channel
image[:4, :, 1] = torch.arange(256, dtype=torch.uint8).reshape(4, 64)
image[:4, :, 2] = torch.arange(256, dtype=torch.uint8).reshape(4, 64)
normalize = albumentations.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])
result = normalize(image=image.numpy())["image"]
assert result.dtype == np.float32
golden.save("normalize.safetensors", {"image_HWC": image, "normalized_HWC": torch.from_numpy(result)}, albumentations=albumentations.__version__)

values = torch.tensor([0, 1, -1, 100, 7, -128])
types = {"f64": torch.float64, "i64": torch.int64, "f32": torch.float32, "i32": torch.int32, "f16": torch.float16, "bf16": torch.bfloat16, "i16": torch.int16, "i8": torch.int8}
tensors = {name: values.to(kind).reshape(2, 3) for name, kind in types.items()}
tensors |= {"u8": torch.tensor([255, 0, 1], dtype=torch.uint8), "bool": torch.tensor([True, False]), "scalar": torch.tensor(2.5), "empty": torch.zeros(0, 4)}
save_file(tensors, golden.FOLDER / "python_written.safetensors", metadata={"écrit": 'by "Python"\n'})
(golden.FOLDER / "python_written.safetensors").chmod(0o644)
