#include "importers/nsys/Payload.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"

#include <array>
#include <charconv>

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

} // namespace

Status PayloadSchemas::read(Session& session) {
    constexpr std::array<std::string_view, 4> kColumns{"schemaId", "type", "name", "offset"};
    std::size_t fields = 0;
    return session.read("NVTX_PAYLOAD_SCHEMA_ENTRIES", kColumns, [&](const ForeignRow& row) {
        const auto schema = row.integer(0);
        const std::int64_t offset = row.integer(3, 0); // NULL for the first
        if (schema && offset >= 0 && offset < static_cast<std::int64_t>(kLargestPayload)
            && fields++ < kMostFields)
            m_fields[static_cast<std::uint64_t>(*schema)].push_back(
                {std::string(row.text(2)), row.integer(1, 0), static_cast<std::size_t>(offset)});
        return Status();
    });
}

NcclPayload PayloadSchemas::parse(std::string_view binary) const {
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

} // namespace trainscope::importers::nsys
