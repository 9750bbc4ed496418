"""model_*.safetensors: DeepLabCut's outputs and gradients, and its state_dict's names, for weights of golden_values."""

import dlc_model
import golden_values as golden
import torch

N, K, H, W = 2, 3, 96, 128
nan = float("nan")
# Different numbers of location-refinement cells a row; one part missing; one at the border; one between cells.
KEYPOINTS_NK2 = torch.tensor([[[30.5, 40.25], [nan, nan], [0.0, 90.0]], [[127.0, 3.5], [64.0, 48.0], [100.2, 70.9]]])

for net_type in ("resnet_50", "resnet_18"):
    model = dlc_model.build(net_type, K)
    outputs = model(golden.tensor("images", (N, 3, H, W), -2, 2))
    target = model.get_target(outputs, dlc_model.labels(KEYPOINTS_NK2))
    losses = model.get_loss(outputs, target)
    losses["total_loss"].backward()
    heads = outputs["bodypart"]
    print(net_type, {name: loss.item() for name, loss in losses.items()}, heads["heatmap"].abs().max().item())
    golden.save(
        f"model_{net_type}.safetensors",
        {"keypoints": KEYPOINTS_NK2, "heatmap": heads["heatmap"].detach(), "locref": heads["locref"].detach()}
        | {name: loss.detach().reshape(1) for name, loss in losses.items()}
        | golden.digest({name: p.grad for name, p in model.named_parameters()}, "gradient"),
        net_type=net_type,
        images=[N, 3, H, W],
        names=list(model.state_dict()),
        shapes=[list(value.shape) for value in model.state_dict().values()],
    )
