"""optimizer.safetensors: torch.optim.AdamW through DeepLabCut's builder, with its milestone schedule, five steps of one an epoch."""

import dlc_model
import golden_values as golden
import torch

SHAPES = [(5, 4, 3, 3), (7,), (1, 6, 1, 1), (40, 30)]
STEPS, MILESTONES, RATES = 5, [2, 4], [1e-2, 1e-3]

model = torch.nn.Module()
model.values = torch.nn.ParameterList([torch.nn.Parameter(golden.tensor(f"parameter {i}", shape)) for i, shape in enumerate(SHAPES)])
optimizer = dlc_model.build_optimizer(model, {"type": "AdamW", "params": {"lr": 5e-2}})
scheduler = dlc_model.build_scheduler({"type": "LRListScheduler", "params": {"milestones": MILESTONES, "lr_list": [[r] for r in RATES]}}, optimizer)
tensors, rates = {}, []
for step in range(STEPS):
    for i, value in enumerate(model.values):
        value.grad = golden.tensor(f"gradient {step} {i}", tuple(value.shape), -1e-3, 1e-3) * 10.0**-i  # down to where epsilon matters
    rates.append(optimizer.param_groups[0]["lr"])
    optimizer.step()
    scheduler.step()
    tensors |= {f"parameter {step} {i}": value.detach().clone() for i, value in enumerate(model.values)}
tensors |= {f"exp_avg {i}": optimizer.state[value]["exp_avg"] for i, value in enumerate(model.values)}
tensors |= {f"exp_avg_sq {i}": optimizer.state[value]["exp_avg_sq"] for i, value in enumerate(model.values)}
tensors["rates"] = torch.tensor(rates, dtype=torch.float64)
golden.save("optimizer.safetensors", tensors, shapes=SHAPES, milestones=MILESTONES, list=RATES, learning_rate=5e-2)
