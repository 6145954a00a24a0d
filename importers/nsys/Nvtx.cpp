#include "importers/nsys/Session.h"

#include "core/model/WholeNumber.h"
#include "importers/trace/DetailText.h"

namespace trainscope::importers::nsys {

namespace {

constexpr std::size_t kHeader = 32;
constexpr std::size_t kSchemaAt = 8;
constexpr std::size_t kMostFields = 10'000;
constexpr std::size_t kLargestPayload = 65'536;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50; // in a message

// Bytes of the whole numbers among the types, and whether they have a sign; 0: another type.
struct Width {
    std::size_t bytes = 0;
    bool isSigned = false;
};

Width widthOf(std::int64_t type) {
    constexpr std::array<Width, 23> kWidths{
        {{}, {1, true}, {1, false}, {2, true}, {2, false}, {4, true}, {4, false}, {8, true},
            {8, false}, {8, true}, {8, false}, {1, true}, {1, false}, {2, true}, {2, false},
            {4, true}, {4, false}, {8, true}, {8, false}, {}, {}, {}, {8, false}}};
    return type >= 0 && type < static_cast<std::int64_t>(kWidths.size())
        ? kWidths[static_cast<std::size_t>(type)]
        : Width{};
}

std::uint64_t littleEndian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i > 0; --i)
        value = value << 8U | static_cast<unsigned char>(bytes[i - 1]);
    return value;
}

std::optional<std::uint64_t> numberAt(std::string_view bytes, std::size_t at, Width width) {
    if (width.bytes == 0 || at > bytes.size() || bytes.size() - at < width.bytes)
        return std::nullopt;
    std::uint64_t value = littleEndian(bytes.substr(at, width.bytes));
    const unsigned bits = static_cast<unsigned>(width.bytes) * 8;
    if (width.isSigned && bits < 64 && (value >> (bits - 1) & 1U) != 0)
        value |= ~std::uint64_t{0} << bits;
    return value;
}

void take(NcclPayload& payload, std::string_view field, std::uint64_t value) {
    const auto number = static_cast<std::int64_t>(value);
    if (field == "NCCL communicator ID")
        payload.communicator = value;
    else if (field == "Message size [bytes]" && value <= kMostBytes)
        payload.bytes = number;
    else if (field == "No. of ranks")
        payload.ranks = number;
    else if (field == "Rank")
        payload.rank = number;
    else if (field == "Peer rank")
        payload.peer = number;
    else if (field == "Root")
        payload.root = number;
}

// Some versions export blobs as text.
std::string fromHex(std::string_view text) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        const auto byte = wholeNumber<unsigned>(text.substr(i, 2), 16);
        if (!byte)
            return {};
        bytes.push_back(static_cast<char>(*byte));
    }
    return bytes;
}

bool isHex(std::string_view text) {
    return text.size() >= 2 * kHeader && text.size() % 2 == 0
        && text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// The binary payloads that libraries attach to NVTX ranges, as Nsight Systems exports them: a
// header of 32 bytes (domain, schema, size) and the fields that the tables NVTX_PAYLOAD_SCHEMAS and
// NVTX_PAYLOAD_SCHEMA_ENTRIES describe. Types and widths as in nvToolsExtPayload.h; names of fields
// as in NCCL's nvtx_payload_schemas.h.
class PayloadSchemas {
public:
    Status read(Session& session) {
        std::size_t fields = 0;
        return session.read("NVTX_PAYLOAD_SCHEMA_ENTRIES", "schemaId, type, name, offset",
            [&](const ForeignRow& row) {
                const auto schema = row.integer(0);
                const std::int64_t offset = row.integer(3, 0); // NULL for the first
                if (schema && offset >= 0 && offset < static_cast<std::int64_t>(kLargestPayload)
                    && fields++ < kMostFields)
                    m_fields[static_cast<std::uint64_t>(*schema)].push_back(
                        {std::string(row.text(2)), row.integer(1, 0),
                            static_cast<std::size_t>(offset)});
                return Status();
            });
    }
    [[nodiscard]] NcclPayload parse(std::string_view binary) const {
        NcclPayload payload;
        std::string unpacked;
        if (isHex(binary)) {
            unpacked = fromHex(binary);
            binary = unpacked;
        }
        if (binary.size() < kHeader || binary.size() > kLargestPayload)
            return payload;
        auto schema = m_fields.find(littleEndian(binary.substr(kSchemaAt, 8)));
        if (schema == m_fields.end())
            schema = m_fields.find(littleEndian(binary.substr(kSchemaAt, 4)));
        if (schema == m_fields.end())
            return payload;
        for (const Field& field : schema->second) {
            if (const auto value = numberAt(binary, kHeader + field.offset, widthOf(field.type)))
                take(payload, field.name, *value);
        }
        return payload;
    }

private:
    struct Field {
        std::string name;
        std::int64_t type = 0;
        std::size_t offset = 0;
    };
    std::map<std::uint64_t, std::vector<Field>> m_fields; // by schema
};

// The same fields of a payload that was exported as JSON.
NcclPayload ncclPayloadOfJson(std::string_view json) {
    static constexpr std::array<std::string_view, 6> kFields{"NCCL communicator ID",
        "Message size [bytes]", "No. of ranks", "Rank", "Peer rank", "Root"};
    NcclPayload payload;
    for (const std::string_view field : kFields) {
        const std::string key = "\"" + std::string(field) + "\"";
        std::size_t at = json.find(key);
        if (at == std::string_view::npos)
            continue;
        at = json.find_first_not_of(" :\"\t\r\n", at + key.size());
        if (at == std::string_view::npos)
            continue;
        std::uint64_t value = 0;
        const char* const end = json.data() + json.size();
        if (std::from_chars(json.data() + at, end, value).ec == std::errc{})
            take(payload, field, value);
    }
    return payload;
}

// As ENUM_NSYS_EVENT_TYPE numbers them.
enum EventType : std::int64_t {
    kMark = 34,
    kPushPopRange = 59,
    kStartEndRange = 60,
    kDomainCreate = 75,
};

constexpr std::string_view kNvtxColumns
    = "start, end, eventType, text, textId, globalTid, domainId, jsonText, jsonTextId, binaryData, "
      "int64Value, uint64Value, uint32Value, int32Value, doubleValue, floatValue";
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
