#include "core/analysis/traces/CopyStatistics.h"

#include "core/model/Try.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace trainscope::analysis {

namespace {

std::optional<std::int64_t> bytesOf(const std::string& detail) {
    const auto json = nlohmann::json::parse(detail, nullptr, false);
    if (!json.is_object())
        return std::nullopt;
    const auto bytes = json.find("bytes");
    if (bytes == json.end() || !bytes->is_number_integer() || bytes->get<std::int64_t>() < 0)
        return std::nullopt;
    return bytes->get<std::int64_t>();
}

} // namespace

std::optional<double> CopyKind::bandwidth() const {
    if (timeWithBytes.ns <= 0)
        return std::nullopt;
    return static_cast<double>(bytes) / timeWithBytes.seconds();
}

std::string copyDirection(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kKinds{{
        {"HtoD", "HtoD"},
        {"DtoH", "DtoH"},
        {"DtoD", "DtoD"},
        {"PtoP", "PtoP"},
        {"HtoH", "HtoH"},
        {"HostToDevice", "HtoD"},
        {"DeviceToHost", "DtoH"},
        {"DeviceToDevice", "DtoD"},
        {"PeerToPeer", "PtoP"},
        {"HostToHost", "HtoH"},
        {"Host-to-Device", "HtoD"}, // as Nsight Systems says it
        {"Device-to-Host", "DtoH"},
        {"Device-to-Device", "DtoD"},
        {"Peer-to-Peer", "PtoP"},
    }};
    const auto found = std::find_if(kKinds.begin(), kKinds.end(),
        [&](const auto& kind) { return name.find(kind.first) != std::string_view::npos; });
    return found == kKinds.end() ? "other" : std::string(found->second);
}

Result<CopyMeter::Facts> CopyMeter::factsOf(const Span& span) {
    const std::pair key{span.name, span.detail};
    if (const auto known = m_facts.find(key); known != m_facts.end())
        return known->second;
    Facts facts;
    std::string name;
    if (span.name.isValid()) {
        ASSIGN_OR_RETURN(auto text, m_store.name(span.name));
        name = std::move(text);
    }
    if (span.detail.isValid()) {
        ASSIGN_OR_RETURN(const auto detail, m_store.name(span.detail));
        facts.bytes = bytesOf(detail);
    }
    facts.kind = &m_result[copyDirection(name)];
    m_facts.emplace(key, facts);
    return facts;
}

Status CopyMeter::work(const DeviceWork& work) {
    if (work.span.kind != SpanKind::Copy)
        return {};
    ASSIGN_OR_RETURN(const auto facts, factsOf(work.span));
    const TimeNs end = work.span.start + work.span.duration;
    const TimeRange inside{std::max(work.span.start, m_range.begin),
        std::max(m_range.begin, std::min(end, m_range.end))};
    CopyKind& kind = *facts.kind;
    ++kind.count;
    kind.time = kind.time + inside.length();
    if (facts.bytes && inside.length() == work.span.duration) {
        ++kind.withBytes;
        kind.bytes += *facts.bytes;
        kind.timeWithBytes = kind.timeWithBytes + work.span.duration;
    }
    return {};
}

} // namespace trainscope::analysis
