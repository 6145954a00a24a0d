#pragma once
// Aligned columns of text for people. Widths count characters, not bytes.

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::cli {

class TextTable {
public:
    enum class Align { Left, Right };
    struct Column {
        std::string title;
        Align align = Align::Right;
    };

    explicit TextTable(std::vector<Column> columns);
    // Missing cells are empty, surplus ones ignored.
    void add(std::vector<std::string> cells);
    [[nodiscard]] bool isEmpty() const { return m_rows.empty(); }
    void print(std::ostream& out, std::string_view indent = "") const;

private:
    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

// Characters of an UTF-8 text.
std::size_t displayWidth(std::string_view text);
// At most `width` characters, with an ellipsis where something was cut.
std::string elided(std::string_view text, std::size_t width);

} // namespace trainscope::cli
