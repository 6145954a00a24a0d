#include "core/analysis/operators/CallFrames.h"

#include "core/analysis/traces/Phase.h"
#include "core/model/AsciiText.h"
#include "core/model/SpanFacts.h"
#include "core/model/Try.h"
#include "core/work/WorkTable.h"

namespace trainscope::analysis {

namespace {

constexpr std::string_view kConcrete = "\"Concrete Inputs\"";
constexpr std::size_t kLongArgument = 200;

bool isDigitOrMark(char c) {
    return isDigit(c) || c == ' ' || c == '#' || c == '_' || c == ':' || c == '-' || c == '/'
        || c == '(' || c == ')';
}

// A number with a point or an exponent, or a list of such.
bool isFraction(std::string_view argument) {
    const bool isNumeric
        = argument.find_first_not_of("0123456789.eE+-[], infa") == std::string_view::npos;
    return isNumeric && argument.find_first_of(".eni") != std::string_view::npos;
}

// A factor of 0 leaves a whole tensor out, and 1 is no factor.
bool saysNothing(std::string_view argument) {
    const bool isTelling = argument == "0." || argument == "1.";
    return argument.size() > kLongArgument || (isFraction(argument) && !isTelling);
}

// The end of a JSON string that begins at `at`: behind its closing quote.
std::size_t endOfString(std::string_view text, std::size_t at) {
    for (++at; at < text.size(); ++at) {
        if (text[at] == '\\')
            ++at;
        else if (text[at] == '"')
            return at + 1;
    }
    return text.size();
}

// Names that the table of work lacks: operators with underscores of their own that have no work, or
// none that is known.
bool isOperatorName(std::string_view name) {
    constexpr std::array<std::string_view, 22> kOthers{"_unsafe_view", "lift_fresh", "as_strided",
        "constant_pad_nd", "slice_scatter", "select_scatter", "masked_scatter", "index_put",
        "split_with_sizes", "scalar_tensor", "full_like", "zeros_like", "ones_like", "new_zeros",
        "new_full", "empty_like", "_flash_attn_forward", "inductor_seeds", "inductor_random",
        "inductor_lookup_seed", "max_pool2d_with_indices", "_unsafe_index"};
    if (name.ends_with('_')) // between two names
        return false;
    return std::ranges::find(kOthers, name) != kOthers.end()
        || work::WorkTable::builtIn().find("aten::" + std::string(name)) != nullptr;
}

// The length of the operator's name that a list "a_b_c" begins with: the longest that is known,
// else up to the next underscore, with a "_backward" behind it.
std::size_t firstNameLength(std::string_view list) {
    constexpr std::string_view kBackward = "_backward";
    std::size_t longest = 0;
    for (std::size_t end = list.find('_', 1); longest < list.size();
         end = list.find('_', end + 1)) {
        const std::size_t length = std::min(end, list.size());
        std::string_view name = list.substr(0, length);
        const bool isBackward = name.size() > kBackward.size() && name.ends_with(kBackward)
            && (longest == length - kBackward.size()
                || isOperatorName(name.substr(0, length - kBackward.size())));
        if (longest == 0 || isBackward || isOperatorName(name))
            longest = length;
        if (length == list.size())
            break;
    }
    return longest;
}

Told toldBy(Mark mark) {
    switch (mark) {
    case Mark::Forward:
        return Told::Forward;
    case Mark::Backward:
        return Told::Backward;
    case Mark::Optimizer:
        return Told::Optimizer;
    case Mark::None:
        break;
    }
    return Told::Nothing;
}

FrameKind frameKindOf(SpanKind kind, std::string_view name) {
    switch (kind) {
    case SpanKind::Kernel:
        return FrameKind::Kernel;
    case SpanKind::Copy:
        return FrameKind::Copy;
    case SpanKind::Set:
        return FrameKind::Set;
    case SpanKind::Annotation:
        return FrameKind::Annotation;
    case SpanKind::Python:
        return isModuleName(name) ? FrameKind::Module : FrameKind::Python;
    default:
        return FrameKind::Operator;
    }
}

} // namespace

bool isModuleName(std::string_view name) {
    return name.starts_with("nn.Module: ");
}

std::string foldedAnnotation(std::string_view name) {
    constexpr std::array<std::string_view, 12> kPassWords{"profilerstep", "iteration", "iter",
        "step", "train_step", "train step", "training step", "training_step", "batch",
        "micro-batch", "microbatch", "micro_batch"};
    const std::size_t end = static_cast<std::size_t>(
        std::find_if_not(name.rbegin(), name.rend(), isDigitOrMark).base() - name.begin());
    const std::string stem = lowered(name.substr(0, end));
    if (std::ranges::find(kPassWords, stem) == kPassWords.end())
        return std::string(name);
    return std::string(name.substr(0, end)) + (name.substr(end).starts_with('#') ? "#" : "");
}

std::string foldedSignature(std::string_view detail) {
    const std::size_t found = detail.find(kConcrete);
    if (found == std::string_view::npos)
        return std::string(detail);
    std::size_t at = found + kConcrete.size();
    std::string folded(detail.substr(0, at));
    int depth = 0;
    while (at < detail.size()) {
        const char c = detail[at];
        if (c == '"') {
            const std::size_t end = endOfString(detail, at);
            const std::string_view argument = detail.substr(at + 1, end - at - 2);
            folded += saysNothing(argument) ? "\"\"" : detail.substr(at, end - at);
            at = end;
            continue;
        }
        folded += c;
        ++at;
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (c == ']' && depth == 0)
            break;
    }
    folded += detail.substr(at);
    return folded;
}

std::vector<std::string> fusedOperators(std::string_view name) {
    constexpr std::string_view kMark = "_fused_";
    const std::size_t mark = name.find(kMark);
    if (!name.starts_with("triton_") || mark == std::string_view::npos)
        return {};
    std::string_view list = name.substr(mark + kMark.size());
    if (const std::size_t number = list.rfind('_'); number != std::string_view::npos
        && number + 1 < list.size()
        && std::all_of(list.begin() + static_cast<std::ptrdiff_t>(number) + 1, list.end(), isDigit))
        list = list.substr(0, number);
    std::vector<std::string> operators;
    while (!list.empty()) {
        const std::size_t length = firstNameLength(list);
        operators.emplace_back(list.substr(0, length));
        list.remove_prefix(std::min(list.size(), length + 1));
    }
    return operators;
}

Result<CallFrames::Known> CallFrames::of(const Span& span) {
    const bool isOperator = span.kind == SpanKind::CpuOp;
    const bool hasSignature = isOperator || statesWork(span);
    Key key{span.name, hasSignature ? span.detail : NameId(), span.kind, Told::Nothing};
    if (const auto link = isOperator ? autogradLinkOf(span.correlation) : std::nullopt)
        key.linked = link->isBackward ? Told::BackwardNode : Told::ForwardNode;
    if (const auto known = m_known.find(key); known != m_known.end())
        return known->second;
    ASSIGN_OR_RETURN(const auto read, this->read(key));
    m_known.emplace(key, read);
    return read;
}

Result<CallFrames::Known> CallFrames::read(const Key& key) {
    std::string text;
    if (key.name.isValid()) {
        ASSIGN_OR_RETURN(text, m_store.name(key.name));
    }
    Known known;
    if (key.kind == SpanKind::Runtime) {
        known.isGraphLaunch = text.find("GraphLaunch") != std::string::npos;
        return known;
    }
    CallFrame frame;
    frame.kind = frameKindOf(key.kind, text);
    if (frame.kind == FrameKind::Annotation) {
        frame.told = toldBy(markOfAnnotation(text));
        text = foldedAnnotation(text);
    } else if (frame.kind == FrameKind::Operator) {
        frame.told = toldBy(markOfOperator(text));
        ASSIGN_OR_RETURN(frame.signature, signatureOf(key.detail));
    }
    if (key.linked == Told::BackwardNode || frame.told == Told::Nothing)
        frame.told = key.linked;
    frame.name = m_paths.name(text);
    known.frame = m_paths.frame(frame);
    if (frame.kind == FrameKind::Kernel && key.detail.isValid()) {
        frame.kind = FrameKind::Operator;
        ASSIGN_OR_RETURN(frame.signature, signatureOf(key.detail));
        known.ownOperator = m_paths.frame(frame);
    }
    return known;
}

Result<std::uint32_t> CallFrames::signatureOf(NameId detail) {
    if (!detail.isValid())
        return std::uint32_t{0};
    if (const auto known = m_signatures.find(detail); known != m_signatures.end())
        return known->second;
    ASSIGN_OR_RETURN(const auto text, m_store.name(detail));
    const std::uint32_t signature = m_paths.signature(foldedSignature(text));
    m_signatures.emplace(detail, signature);
    return signature;
}

} // namespace trainscope::analysis
