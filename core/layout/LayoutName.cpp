#include "core/layout/LayoutName.h"

#include <cctype>
#include <charconv>
#include <string>

namespace trainscope::layout {

namespace {

bool isLetter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

std::optional<int>* fieldOf(LayoutRequest& request, std::string_view name) {
    if (name == "tp")
        return &request.tensor;
    if (name == "pp")
        return &request.pipeline;
    if (name == "cp")
        return &request.context;
    if (name == "ep")
        return &request.expert;
    if (name == "etp")
        return &request.expertTensor;
    if (name == "dp")
        return &request.data;
    if (name == "vpp" || name == "vp")
        return &request.virtualStages;
    return nullptr;
}

// The words and numbers of a name, in turn: "mixtral", "8", "x", "7", "b", "EP", "8".
class Reader {
public:
    explicit Reader(std::string_view text)
        : m_text(text) { }

    LayoutRequest read() {
        while (m_at < m_text.size()) {
            if (isLetter(m_text[m_at]))
                takeWord();
            else
                ++m_at;
        }
        return m_request;
    }

private:
    void takeWord() {
        std::string word;
        // What follows a digit directly belongs to another word ("8x7b"), unless a degree ended
        // there.
        const bool isFresh = m_at == 0 || !isDigit(m_text[m_at - 1]) || m_at == m_degreeEnd;
        for (; m_at < m_text.size() && isLetter(m_text[m_at]); ++m_at)
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(m_text[m_at])));
        if (isFresh && word == "fsdp")
            m_request.fsdp = true;
        auto* const field = isFresh ? fieldOf(m_request, word) : nullptr;
        if (field != nullptr)
            takeDegree(*field);
    }

    void takeDegree(std::optional<int>& field) {
        std::size_t at = m_at;
        if (at < m_text.size() && (m_text[at] == '=' || m_text[at] == '_' || m_text[at] == '-'))
            ++at;
        int value = 0;
        const char* const begin = m_text.data() + at;
        const auto [end, problem] = std::from_chars(begin, m_text.data() + m_text.size(), value);
        if (problem != std::errc() || value < 1 || value > RankGrid::kMaxRanks || !isDigit(*begin))
            return;
        field = value;
        m_at = static_cast<std::size_t>(end - m_text.data());
        m_degreeEnd = m_at;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::size_t m_degreeEnd = std::string_view::npos;
    LayoutRequest m_request;
};

bool saysDegrees(const LayoutRequest& request) {
    return request.tensor || request.pipeline || request.context || request.expert || request.data;
}

} // namespace

std::optional<LayoutRequest> layoutFromName(std::string_view runName) {
    while (!runName.empty()) {
        const auto slash = runName.rfind('/');
        const auto last = slash == std::string_view::npos ? runName : runName.substr(slash + 1);
        const LayoutRequest request = Reader(last).read();
        if (saysDegrees(request))
            return request;
        if (slash == std::string_view::npos)
            break;
        runName = runName.substr(0, slash);
    }
    return std::nullopt;
}

} // namespace trainscope::layout
