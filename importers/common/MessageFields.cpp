#include "importers/common/MessageFields.h"

namespace trainscope::importers {
namespace {

void put(const MessageField& field, std::uint64_t& to) {
    to = field.value;
}
void put(const MessageField& field, std::int64_t& to) {
    to = field.whole();
}
void put(const MessageField& field, double& to) {
    to = field.real();
}
void put(const MessageField& field, bool& to) {
    to = field.value != 0;
}
void put(const MessageField& field, std::string_view& to) {
    to = field.bytes;
}
template <typename T>
void put(const MessageField& field, std::optional<T>& to) {
    put(field, to.emplace());
}
template <typename T>
void put(const MessageField& field, std::vector<T>& to) {
    put(field, to.emplace_back());
}

constexpr std::size_t kReadAtOnce = std::size_t{256} << 10;
constexpr std::size_t kMostDepth = 8;

enum WireType : unsigned { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

} // namespace

bool readFields(
    std::string_view message, std::initializer_list<std::pair<std::uint32_t, FieldTarget>> places) {
    return eachField(message, [places](const MessageField& field) {
        const auto place = std::ranges::find(
            places, field.number, &std::pair<std::uint32_t, FieldTarget>::first);
        if (place != places.end())
            std::visit([&field](auto* to) { put(field, *to); }, place->second);
    });
}

// Makes `wanted` bytes from m_at on available, or all that there are.
bool WireStream::refill(std::size_t wanted) {
    if (m_buffer.size() - m_at >= wanted)
        return true;
    m_taken += m_at;
    m_buffer.erase(0, m_at);
    m_at = 0;
    while (m_buffer.size() < wanted && m_problem.empty() && !m_isCancelled) {
        if (m_goesOn && !m_goesOn(m_stream.bytesConsumed())) {
            m_isCancelled = true;
            break;
        }
        const std::size_t had = m_buffer.size();
        m_buffer.resize(had + std::max(kReadAtOnce, wanted - had));
        const auto got = m_stream.read(
            std::as_writable_bytes(std::span(m_buffer.data() + had, m_buffer.size() - had)));
        m_buffer.resize(had + (got.hasValue() ? got.value() : 0));
        if (!got.hasValue())
            m_problem = got.error().message;
        else if (got.value() == 0)
            break;
    }
    return m_buffer.size() >= wanted;
}

bool WireStream::cut() {
    m_isCut = true;
    return false;
}

// Leaves out what is left of the message at hand: its end is known from around it.
bool WireStream::damaged() {
    ++m_damages;
    if (m_ends.empty())
        return cut();
    skipTo(m_ends.back());
    return false;
}

void WireStream::skipTo(std::uint64_t target) {
    m_pending = 0;
    const std::uint64_t held = m_buffer.size() - m_at;
    if (target <= offset() + held) {
        m_at += static_cast<std::size_t>(target - offset());
        return;
    }
    m_taken += m_buffer.size();
    m_buffer.clear();
    m_at = 0;
    constexpr std::uint64_t kAtOnce = std::uint64_t{16} << 20;
    while (m_taken < target) {
        if (m_goesOn && !m_goesOn(m_stream.bytesConsumed())) {
            m_isCancelled = true;
            return;
        }
        const auto passed = m_stream.skip(std::min(kAtOnce, target - m_taken));
        if (!passed.hasValue())
            m_problem = passed.error().message;
        if (!passed.hasValue() || passed.value() == 0) {
            m_isCut = true;
            return;
        }
        m_taken += passed.value();
    }
}

bool WireStream::varint(std::uint64_t& value) {
    constexpr std::size_t kMostBytes = 10;
    constexpr unsigned kBits = 7;
    refill(kMostBytes);
    const std::size_t most = std::min({kMostBytes, m_buffer.size() - m_at,
        static_cast<std::size_t>(std::min<std::uint64_t>(end() - offset(), kMostBytes))});
    value = 0;
    for (std::size_t i = 0; i < most; ++i) {
        const auto byte = static_cast<unsigned char>(m_buffer[m_at + i]);
        value |= static_cast<std::uint64_t>(byte & 0x7FU) << (kBits * i);
        if ((byte & 0x80U) == 0) {
            m_at += i + 1;
            return true;
        }
    }
    // A buffer that ends before its message does is the end of the file.
    return most < kMostBytes && offset() + most < end() ? cut() : damaged();
}

bool WireStream::fixed(std::size_t size, std::uint64_t& value) {
    if (end() - offset() < size)
        return damaged();
    if (!refill(size))
        return cut();
    value = 0;
    for (std::size_t i = size; i-- > 0;)
        value = value << 8U | static_cast<unsigned char>(m_buffer[m_at + i]);
    m_at += size;
    return true;
}

bool WireStream::next(WireField& field) {
    if (m_pending != 0)
        skipTo(m_pending);
    if (m_isCut || m_isCancelled || offset() >= end())
        return false;
    if (m_ends.empty() && !refill(1))
        return !m_problem.empty() && cut();
    std::uint64_t tag = 0;
    if (!varint(tag))
        return false;
    constexpr unsigned kTypeBits = 3;
    constexpr std::uint64_t kLastNumber = (std::uint64_t{1} << 29U) - 1;
    const std::uint64_t number = tag >> kTypeBits;
    if (number == 0 || number > kLastNumber)
        return damaged();
    field.number = static_cast<std::uint32_t>(number);
    const auto type = static_cast<unsigned>(tag & 7U);
    field.isBytes = type == kLengthDelimited;
    switch (type) {
    case kVarint:
        return varint(field.value);
    case kFixed64:
        return fixed(8, field.value);
    case kFixed32:
        return fixed(4, field.value);
    case kLengthDelimited:
        if (!varint(field.value))
            return false;
        if (field.value > end() - offset() || field.value > kNoEnd / 2)
            return damaged();
        m_pending = offset() + field.value;
        return true;
    default:
        return damaged();
    }
}

void WireStream::enter() {
    // Never deeper than the few messages that are read so.
    if (m_ends.size() < kMostDepth) {
        m_ends.push_back(m_pending == 0 ? offset() : m_pending);
        m_pending = 0;
    }
}

void WireStream::leave() {
    if (m_ends.empty())
        return;
    if (!m_isCut && !m_isCancelled)
        skipTo(m_ends.back());
    m_ends.pop_back();
}

std::optional<std::string_view> WireStream::bytes(std::size_t longest) {
    const std::uint64_t size = m_pending == 0 ? 0 : m_pending - offset();
    if (size > longest)
        return std::nullopt;
    const auto count = static_cast<std::size_t>(size);
    if (!refill(count)) {
        cut();
        return std::nullopt;
    }
    const std::string_view taken(m_buffer.data() + m_at, count);
    m_at += count;
    m_pending = 0;
    return taken;
}

} // namespace trainscope::importers
