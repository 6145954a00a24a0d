#include "importers/common/JsonPaths.h"

#include "core/model/Try.h"
#include "importers/common/JsonScanner.h"

namespace trainscope::importers {

namespace {

constexpr std::size_t kPathBlock = std::size_t{64} << 10;
constexpr std::size_t kLongestMember = 256;
constexpr std::size_t kOuterDepth = 2; // an array that is a member of the whole

} // namespace

JsonPaths::JsonPaths(ByteStream& stream, std::vector<std::string_view> paths, Outside outside)
    : m_stream(stream)
    , m_paths(std::move(paths))
    , m_keepsOutside(outside == Outside::Given)
    , m_block(kPathBlock) { }

Result<bool> JsonPaths::fill() {
    ASSIGN_OR_RETURN(m_size, m_stream.read(std::as_writable_bytes(std::span(m_block))));
    m_used = 0;
    m_bytes += m_size;
    return m_size > 0;
}

// Absent where the object that ended is too large.
std::optional<JsonPaths::Found> JsonPaths::given() {
    std::string& text = m_isOutside ? m_outside : m_text;
    const std::size_t size = text.size();
    if (size >= kLargest) {
        ++m_leftOut;
        text.clear();
        return std::nullopt;
    }
    text.append(JsonScanner::kPadding, '\0');
    return Found{
        m_isOutside ? kOutside : m_wanted, m_outer, std::string_view(text).substr(0, size)};
}

Result<std::optional<JsonPaths::Found>> JsonPaths::next() {
    m_text.clear();
    if (std::exchange(m_isOutside, false))
        m_outside.clear();
    while (true) {
        while (m_used < m_size) {
            if (!take(m_block[m_used++]))
                continue;
            if (auto found = given())
                return found;
            m_isOutside = false;
        }
        if (m_isTooDeep)
            return Error{ErrorCode::Unreadable, "Its brackets lead too deep.", {}};
        ASSIGN_OR_RETURN(const auto goesOn, fill());
        if (!goesOn)
            break;
    }
    if (m_frames.empty())
        return std::optional<Found>();
    m_endsInObject = !isOutermost();
    m_frames.clear();
    return Error{ErrorCode::Unreadable,
        "The text ends inside an object; what came before was read. Copy the file again.", {}};
}

std::optional<std::string_view> JsonPaths::cutOff() {
    if (!m_endsInObject.value_or(false))
        return m_endsInObject ? std::optional(std::string_view()) : std::nullopt;
    std::string& text = m_wantedDepth > 0 ? m_text : m_outside;
    const std::size_t size = text.size() < kLargest ? text.size() : 0;
    text.append(JsonScanner::kPadding, '\0');
    return std::string_view(text).substr(0, size);
}

// Commas and blanks between wanted objects are none of it.
void JsonPaths::keepOutside(char c) {
    if (!m_frames.empty() && !m_frames.back().isWanted && m_outside.size() < kLargest)
        m_outside += c;
}

bool JsonPaths::isOutermost() const {
    return std::ranges::none_of(m_frames, [](const Frame& frame) { return frame.isObject; });
}

void JsonPaths::takeInString(char c) {
    keep(c);
    if (m_isEscaped) {
        m_isEscaped = false;
    } else if (c == '\\') {
        m_isEscaped = true;
    } else if (c == '"') {
        m_isInString = false;
        m_isName = false;
        return;
    }
    if (m_isName && m_name.size() < kLongestMember)
        m_name += c;
}

void JsonPaths::open(char c) {
    if (m_frames.size() >= kDeepest) {
        m_isTooDeep = true;
        m_used = m_size;
        return;
    }
    const bool isMember = !m_frames.empty() && m_frames.back().isObject;
    if (m_keepsOutside && c == '{' && isOutermost())
        m_outside.clear();
    m_frames.push_back({c == '{', m_path.size(), false});
    if (isMember)
        m_path += (m_path.empty() ? "" : "/") + m_name;
    m_expectsName = c == '{';
    if (c == '[' && m_frames.size() == kOuterDepth)
        m_outer = -1;
    if (c == '{' && m_frames.size() == kOuterDepth + 1 && !m_frames[1].isObject)
        ++m_outer;
    if (m_wantedDepth > 0 || (c == '[' && !m_keepsOutside))
        return;
    const auto wanted = std::ranges::find_if(m_paths, [this](std::string_view path) {
        return path == m_path
            || (path.starts_with('/') && (m_path.ends_with(path) || m_path == path.substr(1)));
    });
    if (c == '[' && wanted != m_paths.end() && isMember) {
        keepOutside('[');
        keepOutside(']');
        m_frames.back().isWanted = true;
    } else if (c == '{' && wanted != m_paths.end()) {
        m_wanted = static_cast<std::size_t>(wanted - m_paths.begin());
        m_wantedDepth = m_frames.size();
    }
}

// True where an object that is to be given ends.
bool JsonPaths::close(char c) {
    keep(c);
    if (m_frames.empty())
        return false;
    const bool isWanted = m_wantedDepth == m_frames.size();
    const bool isObject = m_frames.back().isObject;
    m_path.resize(m_frames.back().pathSize);
    m_frames.pop_back();
    m_expectsName = false;
    if (isWanted)
        m_wantedDepth = 0;
    m_isOutside = m_keepsOutside && !isWanted && isObject && isOutermost();
    return isWanted || m_isOutside;
}

// True where an object that is to be given ends.
bool JsonPaths::take(char c) {
    if (m_isInString) {
        takeInString(c);
        return false;
    }
    switch (c) {
    case '"':
        m_isInString = true;
        m_isName = m_expectsName;
        if (m_isName)
            m_name.clear();
        m_expectsName = false;
        keep(c);
        return false;
    case '{':
    case '[':
        open(c);
        keep(c);
        return false;
    case '}':
    case ']':
        return close(c);
    case ',':
        m_expectsName = !m_frames.empty() && m_frames.back().isObject;
        keep(c);
        return false;
    default:
        keep(c);
        return false;
    }
}

} // namespace trainscope::importers
