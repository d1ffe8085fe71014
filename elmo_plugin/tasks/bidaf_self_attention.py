"""The question answering model of Clark and Gardner (2018), the baseline of ELMo on SQuAD."""

from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError, check_dimensions_match
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.modules import InputVariationalDropout, Seq2SeqEncoder, TextFieldEmbedder
from allennlp.modules.matrix_attention import LinearMatrixAttention
from allennlp.nn import InitializerApplicator, RegularizerApplicator
from allennlp.nn.util import get_text_field_mask, weighted_sum
from allennlp_models.rc.metrics import SquadEmAndF1
from torch.nn.functional import cross_entropy

from elmo_plugin.tasks.answer_spans import best_spans
from elmo_plugin.tasks.masked_attention import attention_weights, mask_scores


@Model.register("bidaf_self_attention")
class BidafSelfAttention(Model):
    """
    Bidirectional attention between question and passage, residual self-attention of the passage,
    and the end of the answer predicted from its start ("Simple and effective multi-paragraph
    reading comprehension", Clark and Gardner 2018, section 2.3). In self-attention, a token may
    attend to nothing, at a learned score that begins at -1, as in the authors' code.

    Registered as a `Model` with name "bidaf_self_attention".

    # Parameters

    vocab : `Vocabulary`
    text_field_embedder : `TextFieldEmbedder`
        Embeds question and passage.
    phrase_layer : `Seq2SeqEncoder`
        Encodes question and passage. The model applies no dropout around it and
        `residual_encoder`; use the encoder "variational_dropout".
    residual_encoder : `Seq2SeqEncoder`
        Encodes the passage before self-attention. Its input size is that of the linear layers after
        both attentions.
    span_start_encoder : `Seq2SeqEncoder`
        Has the same input size.
    span_end_encoder : `Seq2SeqEncoder`
        Has that input size plus the output size of `span_start_encoder`.
    dropout : `float`, optional (default = `0.2`)
        Dropout at the input of both span encoders; drops the same dimensions at all tokens and for
        both.
    max_span_length : `int`, optional (default = `17`)
        Maximal length of an answer in tokens.
    initializer : `InitializerApplicator`, optional (default = `InitializerApplicator()`)
    regularizer : `RegularizerApplicator`, optional (default = `None`)
    """

    default_predictor = "elmo_reading_comprehension"

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
        _check_input_dim("phrase_layer", phrase_layer, text_field_embedder.get_output_dim())
        _check_input_dim("span_start_encoder", span_start_encoder, merged)
        _check_input_dim("span_end_encoder", span_end_encoder, merged + start)
        self._text_field_embedder = text_field_embedder
        self._phrase_layer = phrase_layer
        self._attention = LinearMatrixAttention(encoded, encoded, "x,y,x*y")
        self._merge = torch.nn.Linear(4 * encoded, merged)
        self._residual_encoder = residual_encoder
        self._self_attention = LinearMatrixAttention(attended, attended, "x,y,x*y")
        self._no_alignment = torch.nn.Parameter(torch.tensor(-1.0))
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
        Find the answer's first and last token.

        # Parameters

        question, passage : `TextFieldTensors`
        span_start, span_end : `torch.Tensor`, optional (default = `None`)
            First and last token of the answer in the passage. Shape (batch, 1).
        metadata : `List[Dict[str, Any]]`, optional (default = `None`)
            From the reader "squad", for the answer's text and its scores.

        # Returns

        `Dict[str, Any]` :
            span_start_logits, span_end_logits: shape (batch, passage tokens);
            best_span, first and last token: shape (batch, 2);
            with `metadata`: best_span_str, question_tokens, passage_tokens, token_offsets;
            with `span_start`: loss.
        """
        asked, question_mask = self._encode(question)
        read, mask = self._encode(passage)
        merged = self._attend(asked, read, question_mask, mask)
        merged = merged + self._self_attend(merged, mask)
        start, end = self._predict(self._dropout(merged), mask)
        best_span = best_spans(start, end, self._max_span_length)
        output = {"span_start_logits": start, "span_end_logits": end, "best_span": best_span}
        if span_start is not None and span_end is not None:
            output["loss"] = cross_entropy(start, span_start.squeeze(-1))
            output["loss"] += cross_entropy(end, span_end.squeeze(-1))
        return output | self._answers(best_span, metadata or [])

    def get_metrics(self, reset: bool = False) -> dict[str, float]:
        """Return exact match and F1 of the answers' text, as SQuAD's script computes them."""
        exact_match, f1 = self._squad_metrics.get_metric(reset)
        return {"em": exact_match, "f1": f1}

    def _encode(self, text: TextFieldTensors) -> tuple[torch.Tensor, torch.Tensor]:
        mask = get_text_field_mask(text)
        return self._phrase_layer(self._text_field_embedder(text), mask), mask

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
        asked = weighted_sum(question, attention_weights(similarity, question_mask))
        # Shape: (batch, passage tokens)
        relevance = mask_scores(similarity, question_mask).amax(-1)
        # Shape: (batch, 1, dim)
        summary = weighted_sum(passage, attention_weights(relevance, passage_mask)).unsqueeze(1)
        parts = [passage, asked, passage * asked, passage * summary]
        return torch.relu(self._merge(torch.cat(parts, dim=-1)))

    def _self_attend(self, merged: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        encoded = self._residual_encoder(merged, mask)
        # A token attends to all tokens but itself.
        others = mask.unsqueeze(1) & ~torch.eye(mask.size(1), dtype=torch.bool, device=mask.device)
        scores = self._self_attention(encoded, encoded)
        attended = weighted_sum(encoded, attention_weights(scores, others, self._no_alignment))
        parts = [encoded, attended, encoded * attended]
        return torch.relu(self._self_merge(torch.cat(parts, dim=-1)))

    def _predict(
        self, merged: torch.Tensor, mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        started = self._span_start_encoder(merged, mask)
        ended = self._span_end_encoder(torch.cat([merged, started], dim=-1), mask)
        start, end = self._span_start_predictor(started), self._span_end_predictor(ended)
        return mask_scores(start.squeeze(-1), mask), mask_scores(end.squeeze(-1), mask)

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


def _check_input_dim(name: str, encoder: Seq2SeqEncoder, expected: int) -> None:
    check_dimensions_match(encoder.get_input_dim(), expected, f"{name} input", "expected input")
