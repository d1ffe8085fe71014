"""The question answering model of Clark and Gardner (2018), ELMo's baseline on SQuAD."""

from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError, check_dimensions_match
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.modules import InputVariationalDropout, Seq2SeqEncoder, TextFieldEmbedder
from allennlp.modules.matrix_attention import LinearMatrixAttention
from allennlp.nn import InitializerApplicator, RegularizerApplicator
from allennlp.nn.util import get_text_field_mask, min_value_of_dtype, weighted_sum
from allennlp_models.rc.metrics import SquadEmAndF1
from torch.nn.functional import cross_entropy, pad


@Model.register("bidaf_self_attention")
class BidafSelfAttention(Model):
    """
    Bidirectional attention between question and passage, residual attention of the passage to
    itself, and an answer whose end is predicted from its start ("Simple and effective
    multi-paragraph reading comprehension", Clark and Gardner 2018, section 3.1).

    Registered as a `Model` with name "bidaf_self_attention".

    # Parameters

    vocab : `Vocabulary`
    text_field_embedder : `TextFieldEmbedder`
        Of question and passage.
    phrase_layer : `Seq2SeqEncoder`
        Likewise.
    residual_encoder : `Seq2SeqEncoder`
        Of the passage, before it attends to itself. Its input is as wide as the linear layer after
        each of the attentions.
    span_start_encoder : `Seq2SeqEncoder`
        Of that same width.
    span_end_encoder : `Seq2SeqEncoder`
        Of that same width and the output of `span_start_encoder`.
    dropout : `float`, optional (default = `0.2`)
        On the input of each encoder and each attention, the same dimensions at all tokens.
    max_span_length : `int`, optional (default = `17`)
        Tokens of an answer.
    initializer : `InitializerApplicator`, optional (default = `InitializerApplicator()`)
    regularizer : `RegularizerApplicator`, optional (default = `None`)
    """

    default_predictor = "reading_comprehension"

    def __init__(
        self,
        vocab: Vocabulary,
        text_field_embedder: TextFieldEmbedder,
        phrase_layer: Seq2SeqEncoder,
        residual_encoder: Seq2SeqEncoder,
        span_start_encoder: Seq2SeqEncoder,
        span_end_encoder: Seq2SeqEncoder,
        dropout: float = 0.2,
        max_span_length: int = 17,
        initializer: InitializerApplicator = InitializerApplicator(),  # noqa: B008
        regularizer: Optional[RegularizerApplicator] = None,
    ) -> None:
        super().__init__(vocab, regularizer)  # type: ignore[arg-type]
        if max_span_length < 1:
            raise ConfigurationError(f"max_span_length: expected at least 1, got {max_span_length}")
        encoded, attended = phrase_layer.get_output_dim(), residual_encoder.get_output_dim()
        merged, start = residual_encoder.get_input_dim(), span_start_encoder.get_output_dim()
        for name, encoder, dim in (
            ("phrase_layer", phrase_layer, text_field_embedder.get_output_dim()),
            ("span_start_encoder", span_start_encoder, merged),
            ("span_end_encoder", span_end_encoder, merged + start),
        ):
            check_dimensions_match(encoder.get_input_dim(), dim, f"{name} input", "expected input")
        self._text_field_embedder = text_field_embedder
        self._phrase_layer = phrase_layer
        self._attention = LinearMatrixAttention(encoded, encoded, "x,y,x*y")
        self._merge = torch.nn.Linear(4 * encoded, merged)
        self._residual_encoder = residual_encoder
        self._self_attention = LinearMatrixAttention(attended, attended, "x,y,x*y")
        self._self_merge = torch.nn.Linear(3 * attended, merged)
        self._span_start_encoder = span_start_encoder
        self._span_start_predictor = torch.nn.Linear(start, 1)
        self._span_end_encoder = span_end_encoder
        self._span_end_predictor = torch.nn.Linear(span_end_encoder.get_output_dim(), 1)
        self._dropout = InputVariationalDropout(dropout)
        self._max_span_length = max_span_length
        self._squad_metrics = SquadEmAndF1()
        initializer(self)

    def forward(
        self,
        question: TextFieldTensors,
        passage: TextFieldTensors,
        span_start: Optional[torch.Tensor] = None,
        span_end: Optional[torch.Tensor] = None,
        metadata: Optional[list[dict[str, Any]]] = None,
    ) -> dict[str, Any]:
        """
        # Parameters

        question, passage : `TextFieldTensors`
        span_start, span_end : `torch.Tensor`, optional (default = `None`)
            The answer's first and last token in the passage. Shape (batch, 1).
        metadata : `List[Dict[str, Any]]`, optional (default = `None`)
            As the reader "squad" makes it, for the answer's text and its scores.

        # Returns

        `Dict[str, torch.Tensor]` :
            span_start_logits, span_end_logits, of shape (batch, passage tokens);
            best_span, first and last token, of shape (batch, 2);
            with `metadata`: best_span_str, question_tokens, passage_tokens, token_offsets;
            with `span_start`: loss.
        """
        question_mask, passage_mask = get_text_field_mask(question), get_text_field_mask(passage)
        merged = self._attend(
            self._encode(question, question_mask),
            self._encode(passage, passage_mask),
            question_mask,
            passage_mask,
        )
        merged = merged + self._attend_to_itself(merged, passage_mask)
        start, end = self._predict(merged, passage_mask)
        best_span = best_spans(start, end, self._max_span_length)
        output = {"span_start_logits": start, "span_end_logits": end, "best_span": best_span}
        if span_start is not None and span_end is not None:
            output["loss"] = cross_entropy(start, span_start.squeeze(-1))
            output["loss"] += cross_entropy(end, span_end.squeeze(-1))
        return output | self._answers(best_span, metadata or [])

    def get_metrics(self, reset: bool = False) -> dict[str, float]:
        """Exact match and F1 of the answers' text, as SQuAD's own script counts them."""
        exact_match, f1 = self._squad_metrics.get_metric(reset)
        return {"em": exact_match, "f1": f1}

    def _encode(self, text: TextFieldTensors, mask: torch.Tensor) -> torch.Tensor:
        embedded = self._dropout(self._text_field_embedder(text))
        return self._dropout(self._phrase_layer(embedded, mask))

    def _attend(
        self,
        question: torch.Tensor,
        passage: torch.Tensor,
        question_mask: torch.Tensor,
        passage_mask: torch.Tensor,
    ) -> torch.Tensor:
        # Shape: (batch, passage tokens, question tokens)
        similarity = self._attention(passage, question)
        question_mask = question_mask.unsqueeze(1)
        asked = weighted_sum(question, _weights(similarity, question_mask))
        # Shape: (batch, passage tokens)
        relevance = _masked(similarity, question_mask).amax(-1)
        # Shape: (batch, 1, dim)
        summary = weighted_sum(passage, _weights(relevance, passage_mask)).unsqueeze(1)
        parts = [passage, asked, passage * asked, summary * asked]
        return torch.relu(self._merge(torch.cat(parts, dim=-1)))

    def _attend_to_itself(self, merged: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        encoded = self._dropout(self._residual_encoder(self._dropout(merged), mask))
        # Each token to all others.
        others = mask.unsqueeze(1) & ~torch.eye(mask.size(1), dtype=torch.bool, device=mask.device)
        weights = _weights(self._self_attention(encoded, encoded), others)
        attended = weighted_sum(encoded, weights)
        parts = [encoded, attended, encoded * attended]
        return torch.relu(self._self_merge(torch.cat(parts, dim=-1)))

    def _predict(
        self, merged: torch.Tensor, mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        started = self._span_start_encoder(self._dropout(merged), mask)
        before_end = torch.cat([merged, started], dim=-1)
        ended = self._span_end_encoder(self._dropout(before_end), mask)
        start, end = self._span_start_predictor(started), self._span_end_predictor(ended)
        return _masked(start.squeeze(-1), mask), _masked(end.squeeze(-1), mask)

    def _answers(
        self, best_span: torch.Tensor, metadata: list[dict[str, Any]]
    ) -> dict[str, list[Any]]:
        output: dict[str, list[Any]] = {}
        for (first, last), example in zip(best_span.tolist(), metadata):
            offsets = example["token_offsets"]
            answer = example["original_passage"][offsets[first][0] : offsets[last][1]]
            if example.get("answer_texts"):
                self._squad_metrics(answer, example["answer_texts"])
            output.setdefault("best_span_str", []).append(answer)
            for key in ("question_tokens", "passage_tokens", "token_offsets"):
                output.setdefault(key, []).append(example[key])
        return output


def _masked(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return scores.masked_fill(~mask, min_value_of_dtype(scores.dtype))


def _weights(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    # Where all is masked, nothing is attended to.
    return torch.softmax(_masked(scores, mask), dim=-1) * mask


def best_spans(start: torch.Tensor, end: torch.Tensor, max_length: int) -> torch.Tensor:
    """
    The span with the highest sum of scores among those of at most `max_length` tokens.

    # Parameters

    start, end : `torch.Tensor`
        Scores of a span's first and last token. Shape (batch, tokens).

    # Returns

    `torch.Tensor` : first and last token. Shape (batch, 2).
    """
    # Shape: (batch, tokens, max_length): the ends of the spans that begin at each token
    ends = pad(end, (0, max_length - 1), value=float("-inf")).unfold(1, max_length, 1)
    best_end, length = ends.max(-1)
    first = (start + best_end).argmax(-1, keepdim=True)
    return torch.cat([first, first + length.gather(1, first)], dim=-1)
