"""model_*.safetensors: DeepLabCut's outputs and gradients in float64, and its state_dict's names, for weights of golden_values.

float32 rounding is of the order of 1e-6 at the ReLUs, and differs between processors. A ReLU whose input is smaller than that may
open on one and stay shut on another, which changes the gradient by 1e-4 to 1e-3. So of many images those are taken whose smallest
ReLU input is the largest: float32 then agrees everywhere.
"""

import dlc_model
import golden_values as golden
import torch

N, K, H, W = 2, 3, 48, 64
nan = float("nan")
# Different numbers of location-refinement cells a row; one part missing; one at the border; one between cells.
KEYPOINTS_NK2 = torch.tensor([[[30.5, 20.25], [nan, nan], [0.0, 45.0]], [[63.0, 3.5], [32.0, 24.0], [50.2, 35.9]]])
CANDIDATES = 300

for net_type in ("resnet_50", "resnet_18"):
    model = dlc_model.build_double(net_type, K)
    margins = {name: dlc_model.smallest_relu_input(model, golden.tensor(name, (N, 3, H, W), -2, 2)) for name in map("images {}".format, range(CANDIDATES))}
    images = max(margins, key=margins.get)
    print(f"{net_type}: '{images}', smallest ReLU input {margins[images]:.1e} standard deviations")
    outputs = model(golden.tensor(images, (N, 3, H, W), -2, 2))
    target = model.get_target(outputs, dlc_model.labels(KEYPOINTS_NK2))
    losses = model.get_loss(outputs, target)
    losses["total_loss"].backward()
    heads = outputs["bodypart"]
    print(net_type, {name: loss.item() for name, loss in losses.items()}, heads["heatmap"].abs().max().item())
    golden.save(
        f"model_{net_type}.safetensors",
        {"keypoints": KEYPOINTS_NK2, "heatmap": heads["heatmap"].detach().float(), "locref": heads["locref"].detach().float()}
        | {name: loss.detach().reshape(1) for name, loss in losses.items()}
        | golden.digest({name: p.grad for name, p in model.named_parameters()}, "gradient"),
        net_type=net_type,
        images=images,
        size=[N, 3, H, W],
        names=list(model.state_dict()),
        shapes=[list(value.shape) for value in model.state_dict().values()],
    )
