#include "importers/nsys/Session.h"

#include "core/model/Try.h"
#include "importers/nsys/Payload.h"
#include "importers/trace/DetailText.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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
    explicit NvtxReader(Session& session)
        : m_session(session) { }

    Status run() {
        if (m_session.database().table("NVTX_EVENTS") == nullptr)
            return {};
        RETURN_IF_ERROR(m_schemas.read(m_session));
        RETURN_IF_ERROR(readDomains());
        return m_session.read(
            "NVTX_EVENTS", kNvtxColumns, [&](const ForeignRow& row) { return take(row); });
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
        ProfiledCall call;
        call.process = processOf(thread);
        call.thread = threadOf(thread);
        call.range = *range;
        call.name = text;
        call.kind = SpanKind::Annotation;
        ASSIGN_OR_RETURN(call.detail, detailOf(row, domainName));
        call.isNested = type == kPushPopRange;
        if (!call.isNested)
            m_session.count("NVTX ranges that were started and ended, left on the host");
        const bool isNccl = domainName == "NCCL" || text.starts_with("nccl");
        const NcclPayload payload = isNccl ? payloadOf(row) : NcclPayload{};
        call.nccl = isNccl ? &payload : nullptr;
        return m_session.writer().call(call);
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
    PayloadSchemas m_schemas;
    Domains m_domains;
};

} // namespace

Status readNvtx(Session& session) {
    return NvtxReader(session).run();
}

} // namespace trainscope::importers::nsys
