#include "importers/common/TextCleaning.h"

#include "core/model/Try.h"

#include <cstring>

namespace trainscope::importers {

namespace {

constexpr char kEscape = '\x1b';
constexpr char kBell = '\x07';
constexpr std::size_t kLookedAt = 4096; // bytes that tell text

// Files of bytes that may begin as a text does.
constexpr std::array<std::string_view, 6> kBytes{"SQLite format 3",
    "\x7f"
    "ELF",
    "PK\x03\x04", "%PDF-", "PAR1", "\x89HDF"};

// Control characters of terminals and old printers, which stand in texts.
bool isTextControl(char c) {
    return c == kEscape || (c >= '\x07' && c <= '\x0d');
}

bool isCsiFinal(char c) {
    return c >= '\x40' && c <= '\x7e';
}

// The length of the escape sequence at the front of `text`, which starts with ESC.
std::size_t escapeLength(std::string_view text) {
    if (text.size() < 2)
        return text.size();
    std::size_t i = 2;
    if (text[1] == '[') {
        while (i < text.size() && !isCsiFinal(text[i]))
            ++i;
        return i < text.size() ? i + 1 : i;
    }
    if (text[1] != ']') {
        // Between the escape and its last byte may stand others, as in "ESC ( B".
        while (i < text.size() && text[i - 1] >= ' ' && text[i - 1] <= '/')
            ++i;
        return i;
    }
    while (i < text.size() && text[i] != kBell && text[i] != kEscape)
        ++i;
    if (i == text.size())
        return i;
    return text[i] == kBell ? i + 1 : std::min(i + 2, text.size());
}

constexpr std::size_t kTextBlock = std::size_t{64} << 10;
constexpr char32_t kReplacement = 0xFFFD;

class Utf8Stream final : public ByteStream {
public:
    explicit Utf8Stream(std::unique_ptr<ByteStream> raw)
        : m_raw(std::move(raw)) { }

    [[nodiscard]] std::uint64_t bytesConsumed() const override { return m_raw->bytesConsumed(); }

    Result<std::size_t> read(std::span<std::byte> buffer) override {
        if (m_form == Form::Unknown)
            RETURN_IF_ERROR(judge());
        if (m_form == Form::Bytes && m_position == m_ready.size())
            return readBytes(buffer);
        while (m_position == m_ready.size()) {
            ASSIGN_OR_RETURN(auto more, convertBlock());
            if (!more)
                return std::size_t{0};
        }
        const std::size_t count = std::min(buffer.size(), m_ready.size() - m_position);
        std::memcpy(buffer.data(), m_ready.data() + m_position, count);
        m_position += count;
        return count;
    }

private:
    enum class Form { Unknown, Bytes, LittleEndian, BigEndian };

    Result<std::size_t> readBytes(std::span<std::byte> buffer) {
        while (true) {
            ASSIGN_OR_RETURN(const auto count, m_raw->read(buffer));
            if (count == 0 || std::memchr(buffer.data(), 0, count) == nullptr)
                return count;
            const auto read = buffer.first(count);
            const auto kept = std::remove(read.begin(), read.end(), std::byte{0});
            if (kept != read.begin())
                return static_cast<std::size_t>(kept - read.begin());
        }
    }

    Status judge() {
        m_form = Form::Bytes;
        while (m_ready.size() < 3) {
            std::byte one{};
            const auto count = m_raw->read(std::span(&one, 1));
            if (!count.hasValue() && m_ready.empty())
                return count.error();
            if (!count.hasValue() || count.value() == 0)
                break;
            m_ready.push_back(static_cast<char>(one));
        }
        if (m_ready == "\xEF\xBB\xBF")
            m_ready.clear();
        else if (m_ready.starts_with("\xFF\xFE"))
            startUtf16(Form::LittleEndian);
        else if (m_ready.starts_with("\xFE\xFF"))
            startUtf16(Form::BigEndian);
        return {};
    }

    void startUtf16(Form form) {
        m_form = form;
        m_half.assign(m_ready, 2);
        m_ready.clear();
    }

    // False at the end of the stream.
    Result<bool> convertBlock() {
        std::vector<std::byte> block(kTextBlock);
        ASSIGN_OR_RETURN(const auto count, m_raw->read(block));
        m_half.append(reinterpret_cast<const char*>(block.data()), count);
        m_ready.clear();
        m_position = 0;
        std::size_t used = 0;
        for (; used + 1 < m_half.size(); used += 2)
            takeUnit(unitAt(used));
        m_half.erase(0, used);
        if (count > 0)
            return true;
        if (m_highSurrogate != 0)
            appendUtf8(m_ready, kReplacement);
        m_highSurrogate = 0;
        return !m_ready.empty();
    }

    [[nodiscard]] char32_t unitAt(std::size_t i) const {
        const auto byte
            = [this](std::size_t at) { return static_cast<char32_t>(m_half[at] & 0xFF); };
        return m_form == Form::LittleEndian ? byte(i) | (byte(i + 1) << 8)
                                            : (byte(i) << 8) | byte(i + 1);
    }

    void takeUnit(char32_t unit) {
        const bool isHigh = unit >= 0xD800 && unit < 0xDC00;
        const bool isLow = unit >= 0xDC00 && unit < 0xE000;
        if (m_highSurrogate != 0 && isLow) {
            appendUtf8(m_ready, 0x10000 + ((m_highSurrogate - 0xD800) << 10) + (unit - 0xDC00));
            m_highSurrogate = 0;
            return;
        }
        if (m_highSurrogate != 0)
            appendUtf8(m_ready, kReplacement);
        m_highSurrogate = isHigh ? unit : 0;
        if (!isHigh)
            appendUtf8(m_ready, isLow ? kReplacement : unit);
    }

    std::unique_ptr<ByteStream> m_raw;
    Form m_form = Form::Unknown;
    std::string m_ready; // bytes to hand out
    std::size_t m_position = 0;
    std::string m_half; // UTF-16 bytes not yet converted
    char32_t m_highSurrogate = 0;
};

} // namespace

bool isText(std::string_view head) {
    head = head.substr(0, kLookedAt);
    if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff"))
        return true;
    if (std::any_of(kBytes.begin(), kBytes.end(),
            [head](std::string_view mark) { return head.starts_with(mark); }))
        return false;
    std::size_t controls = 0;
    std::size_t nuls = 0;
    for (const char c : head) {
        nuls += c == '\0' ? 1U : 0U;
        controls += c > '\0' && c < ' ' && !isTextControl(c) ? 1U : 0U;
    }
    constexpr std::size_t kPerControl = 256; // a stray one is damage
    const std::size_t rest = head.size() - nuls;
    const bool isLines = nuls == 0 || head.find('\n') != std::string_view::npos;
    return controls * kPerControl <= rest && isLines && (nuls == 0 || rest > 0);
}

std::string withoutEscapes(std::string_view text) {
    std::string plain;
    while (!text.empty()) {
        const std::size_t escape = text.find(kEscape);
        plain.append(text.substr(0, escape));
        if (escape == std::string_view::npos)
            break;
        text.remove_prefix(escape);
        text.remove_prefix(escapeLength(text));
    }
    return plain;
}

void appendUtf8(std::string& out, char32_t code) {
    const auto byte = [&out](char32_t value) { out.push_back(static_cast<char>(value & 0xFF)); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xC0 | (code >> 6));
        byte(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        byte(0xE0 | (code >> 12));
        byte(0x80 | ((code >> 6) & 0x3F));
        byte(0x80 | (code & 0x3F));
    } else {
        byte(0xF0 | (code >> 18));
        byte(0x80 | ((code >> 12) & 0x3F));
        byte(0x80 | ((code >> 6) & 0x3F));
        byte(0x80 | (code & 0x3F));
    }
}

std::unique_ptr<ByteStream> asUtf8(std::unique_ptr<ByteStream> stream) {
    return std::make_unique<Utf8Stream>(std::move(stream));
}

} // namespace trainscope::importers
