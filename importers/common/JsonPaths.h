#pragma once
// Objects of a JSON text that may be far larger than memory, by where they stand: each object whose
// members' names from the outside lead to a wanted path, "tool/records/kernels", or end like one,
// "/result"; arrays on the way are not counted. The text around them can be had as well.
// Brackets, strings and names are followed, nothing else: each object is parsed by whoever takes
// it.

#include "importers/common/Source.h"

namespace trainscope::importers {

class JsonPaths {
public:
    static constexpr std::size_t kLargest = std::size_t{32} << 20; // larger objects are left out
    static constexpr std::size_t kOutside = static_cast<std::size_t>(-1); // in place of a path
    static constexpr std::size_t kDeepest = 256;

    struct Found {
        std::size_t path = 0; // its place among the wanted ones; kOutside: an outermost object
        std::int64_t outer = 0; // objects in the outermost array before the one that it is in
        std::string_view text; // followed by JsonScanner::kPadding zero bytes; until the next call
    };

    // With Outside::Given each outermost object is found as well, behind the wanted ones in it,
    // whose arrays are empty in its text.
    enum class Outside { Dropped, Given };
    JsonPaths(ByteStream& stream, std::vector<std::string_view> paths,
        Outside outside = Outside::Dropped);

    // Absent at the end. Fails where the stream does, and at the end of a text that stops inside an
    // object, or that goes deeper than kDeepest.
    Result<std::optional<Found>> next();
    // The object that the text stopped inside, as Found's text, behind a failure; empty: inside
    // arrays alone. Absent where the stream failed.
    [[nodiscard]] std::optional<std::string_view> cutOff();
    // The outermost object as far as it was read.
    [[nodiscard]] const std::string& outside() const { return m_outside; }
    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }
    [[nodiscard]] std::int64_t leftOut() const { return m_leftOut; }

private:
    struct Frame {
        bool isObject = false;
        std::size_t pathSize = 0; // as far as the path around it
        bool isWanted = false; // an array of wanted objects
    };
    Result<bool> fill();
    bool take(char c);
    void takeInString(char c);
    void open(char c);
    bool close(char c);
    void keep(char c) {
        if (m_wantedDepth > 0) {
            if (m_text.size() < kLargest)
                m_text += c;
        } else if (m_keepsOutside) {
            keepOutside(c);
        }
    }
    void keepOutside(char c);
    [[nodiscard]] bool isOutermost() const;
    std::optional<Found> given();

    ByteStream& m_stream;
    std::vector<std::string_view> m_paths;
    bool m_keepsOutside;
    std::vector<char> m_block;
    std::size_t m_used = 0;
    std::size_t m_size = 0;
    std::uint64_t m_bytes = 0;
    std::vector<Frame> m_frames;
    std::string m_path;
    std::string m_name; // the member's that begins
    std::string m_text; // the wanted object's
    std::string m_outside;
    bool m_isOutside = false; // an outermost object ended, and is given
    std::size_t m_wanted = 0;
    std::size_t m_wantedDepth = 0; // 0: none
    std::int64_t m_outer = -1;
    std::int64_t m_leftOut = 0;
    bool m_isInString = false;
    bool m_isEscaped = false;
    bool m_isName = false; // the string is a member's name
    bool m_expectsName = false;
    bool m_isTooDeep = false;
    std::optional<bool> m_endsInObject; // at the end of the text
};

} // namespace trainscope::importers
