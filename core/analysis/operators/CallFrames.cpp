#include "core/analysis/operators/CallFrames.h"

#include "core/analysis/operators/FrameNames.h"
#include "core/analysis/traces/Phase.h"
#include "core/model/AutogradLink.h"
#include "core/model/StatedWork.h"
#include "core/model/Try.h"

#include <optional>
#include <string>

namespace trainscope::analysis {

namespace {

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
