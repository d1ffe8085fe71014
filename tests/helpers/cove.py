"""CoVe files in the published format."""

from pathlib import Path

import torch


def write_cove(path: Path, dim: int = 6, hidden: int = 4) -> torch.nn.LSTM:
    """Write the state of one LSTM, as the authors did."""
    torch.manual_seed(1)
    lstm = torch.nn.LSTM(dim, hidden, num_layers=2, bidirectional=True, batch_first=True)
    torch.save(lstm.state_dict(), path)
    return lstm
