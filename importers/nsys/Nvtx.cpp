#include "importers/nsys/Nvtx.h"

#include "core/model/Try.h"
#include "importers/trace/DetailText.h"

#include <array>
#include <optional>
#include <string_view>

namespace trainscope::importers::nsys {

namespace {

// As ENUM_NSYS_EVENT_TYPE numbers them.
enum EventType : std::int64_t {
    kMark = 34,
    kPushPopRange = 59,
    kStartEndRange = 60,
    kDomainCreate = 75,
};

constexpr std::array<std::string_view, 16> kNvtxColumns{"start", "end", "eventType", "text",
    "textId", "globalTid", "domainId", "jsonText", "jsonTextId", "binaryData", "int64Value",
    "uint64Value", "uint32Value", "int32Value", "doubleValue", "floatValue"};
struct At {
    enum Column : int {
        kStart,
        kEnd,
        kType,
        kText,
        kTextId,
        kThread,
        kDomain,
        kJson,
        kJsonId,
        kBinary,
        kFirstWhole,
        kUnsigned,
        kFirstReal = 14,
        kLastNumber = 15,
    };
};

constexpr std::size_t kMostDomains = 100'000;
constexpr std::size_t kLongestName = 65'536;

using Domains = std::map<std::pair<std::int64_t, std::int64_t>, std::string>; // (process, domain)

class NvtxReader {
public:
    NvtxReader(Session& session, NvtxFindings& findings)
        : m_session(session)
        , m_findings(findings) { }

    Status run() {
        if (m_session.database().table("NVTX_EVENTS") == nullptr)
            return {};
        RETURN_IF_ERROR(m_schemas.read(m_session));
        RETURN_IF_ERROR(readDomains());
        RETURN_IF_ERROR(m_session.read(
            "NVTX_EVENTS", kNvtxColumns, [&](const ForeignRow& row) { return take(row); }));
        if (const std::int64_t leftOut = m_held.writeAll(); leftOut > 0)
            m_session.count("NVTX ranges of iterations that were never closed, left out", leftOut);
        m_findings.ranges.nest();
        return {};
    }

private:
    // They stand where they were made, which is not before all of their ranges.
    Status readDomains() {
        const auto end
            = m_session.database().scan("NVTX_EVENTS", kNvtxColumns, [&](const ForeignRow& row) {
                  if (row.integer(At::kType, 0) == kDomainCreate && m_domains.size() < kMostDomains)
                      m_domains[domainOf(row)] = textOf(row);
                  return Status();
              });
        return end.hasValue() ? Status() : end.error();
    }

    static std::pair<std::int64_t, std::int64_t> domainOf(const ForeignRow& row) {
        return {processOf(row.integer(At::kThread, 0)), row.integer(At::kDomain, 0)};
    }

    std::string textOf(const ForeignRow& row) {
        std::string_view text = row.text(At::kText);
        if (const auto id = row.integer(At::kTextId); text.empty() && id)
            text = m_session.text(*id).value_or(std::string_view());
        return std::string(text.substr(0, kLongestName));
    }

    Status take(const ForeignRow& row) {
        const std::int64_t type = row.integer(At::kType, 0);
        if (type == kMark)
            m_session.count("NVTX marks");
        if (type != kPushPopRange && type != kStartEndRange)
            return {};
        const std::int64_t thread = row.integer(At::kThread, 0);
        auto range = rangeOf(row);
        if (!range)
            return {};
        const std::string text = textOf(row);
        const auto domain = m_domains.find(domainOf(row));
        const std::string_view domainName
            = domain == m_domains.end() ? std::string_view() : std::string_view(domain->second);
        Span span;
        span.start = range->begin;
        span.duration = range->length();
        span.kind = SpanKind::Annotation;
        ASSIGN_OR_RETURN(span.name, m_session.intern(text));
        ASSIGN_OR_RETURN(span.detail, detailOf(row, domainName));
        const auto iteration = iterationNameOf(text);
        if (iteration)
            m_findings.iterations.add(
                m_session.outputs().rankOf(processOf(thread)), *iteration, *range);
        if (iteration && type == kPushPopRange) {
            m_held.add(thread, *iteration, *range, [this, thread, span](TimeRange closed) {
                Span cut = span;
                cut.duration = closed.length();
                add(thread, cut);
                m_findings.ranges.add(hostRange(thread, closed, span.name), nullptr);
            });
            return {};
        }
        add(thread, span);
        if (type == kStartEndRange)
            m_session.count("NVTX ranges that were started and ended, left on the host");
        else
            keep(thread, *range, span.name, text, domainName, row);
        return {};
    }

    static HostRange hostRange(std::int64_t thread, TimeRange range, NameId name) {
        HostRange kept;
        kept.thread = thread;
        kept.start = range.begin.ns;
        kept.end = range.end.ns;
        kept.name = name;
        return kept;
    }

    // A range that stood open when the recording ended.
    std::optional<TimeRange> rangeOf(const ForeignRow& row) {
        auto range
            = m_session.rangeOf(row, At::kStart, row.isNull(At::kEnd) ? At::kStart : At::kEnd);
        if (range && row.isNull(At::kEnd)) {
            m_session.count("NVTX ranges without end");
            range->end = TimeNs{std::max(range->begin.ns, m_session.facts().durationNs)};
        }
        return range;
    }

    void add(std::int64_t thread, const Span& span) {
        TrackLabel label;
        label.kind = TrackKind::Thread;
        label.process = std::to_string(processOf(thread));
        label.thread = std::to_string(threadOf(thread));
        TraceOutput& output = m_session.outputs().onHost(processOf(thread));
        output.add(output.track(label), span);
    }

    void keep(std::int64_t thread, TimeRange range, NameId name, std::string_view text,
        std::string_view domain, const ForeignRow& row) {
        const HostRange kept = hostRange(thread, range, name);
        if (domain != "NCCL" && !text.starts_with("nccl"))
            return m_findings.ranges.add(kept, nullptr);
        NcclCall call{collectiveOf(text), payloadOf(row)};
        m_findings.hasPayloads = m_findings.hasPayloads || !call.payload.isEmpty();
        m_findings.communicators[processOf(thread)].add(call.payload);
        m_findings.ranges.add(kept, &call);
    }

    NcclPayload payloadOf(const ForeignRow& row) {
        if (const std::string_view binary = row.bytes(At::kBinary); !binary.empty())
            return m_schemas.parse(binary);
        std::string_view json = row.text(At::kJson);
        if (const auto id = row.integer(At::kJsonId); json.empty() && id)
            json = m_session.text(*id).value_or(std::string_view());
        NcclPayload payload = ncclPayloadOfJson(json);
        // The only field of old versions is the size.
        if (payload.isEmpty())
            payload.bytes = sizeOf(row.integer(At::kUnsigned));
        return payload;
    }

    static std::optional<std::int64_t> sizeOf(std::optional<std::int64_t> bytes) {
        constexpr std::int64_t kMost = std::int64_t{1} << 50;
        return bytes && *bytes >= 0 && *bytes <= kMost ? bytes : std::nullopt;
    }

    Result<NameId> detailOf(const ForeignRow& row, std::string_view domain) {
        DetailText detail;
        if (!domain.empty())
            detail.add("domain", domain);
        std::string_view json = row.text(At::kJson);
        if (const auto id = row.integer(At::kJsonId); json.empty() && id)
            json = m_session.text(*id).value_or(std::string_view());
        if (!json.empty())
            detail.add("payload", json.substr(0, kLongestName));
        for (int column = At::kFirstWhole; json.empty() && column <= At::kLastNumber; ++column) {
            if (row.isNull(column))
                continue;
            if (column < At::kFirstReal)
                detail.add("payload", row.integer(column, 0));
            else
                detail.add("payload", std::to_string(row.number(column).value_or(0.0)));
            break;
        }
        const std::string text = detail.take();
        return text.empty() ? Result<NameId>(NameId{}) : m_session.intern(text);
    }

    Session& m_session;
    NvtxFindings& m_findings;
    PayloadSchemas m_schemas;
    Domains m_domains;
    HeldIterations m_held;
};

} // namespace

Status readNvtx(Session& session, NvtxFindings& findings) {
    return NvtxReader(session, findings).run();
}

} // namespace trainscope::importers::nsys
