#include "app/manual/Manual.h"

#include "core/model/AsciiText.h"

#include <fmt/format.h>

namespace trainscope::app::manual {

namespace {

using PieceKind = Piece::Kind;
using BlockKind = Block::Kind;

std::string escapedHtml(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '<')
            result += "&lt;";
        else if (c == '>')
            result += "&gt;";
        else if (c == '&')
            result += "&amp;";
        else if (c == '"')
            result += "&quot;";
        else
            result += c;
    }
    return result;
}

// QTextDocument has no boxes for inline code: a type of its own tells it apart.
class Writer {
public:
    Writer(const Page& page, const HtmlStyle& style)
        : m_page(page)
        , m_style(style) { }

    std::string write() {
        m_html = "<style>code, pre { font-family: monospace; }</style>";
        add(fmt::format("<p style=\"font-size: {}px; font-weight: 600; margin: 0 0 {}px 0;\">{}"
                        "</p>",
            m_style.titleSize, m_style.space / 2, escapedHtml(m_page.markup.title)));
        add(fmt::format("<p style=\"color: {}; margin: 0 0 {}px 0;\">{}</p>", m_style.secondary,
            2 * m_style.space, escapedHtml(m_page.markup.about)));
        for (const Block& block : m_page.markup.blocks)
            addBlock(block);
        closeList();
        return std::move(m_html);
    }

private:
    void add(std::string_view html) { m_html += html; }

    [[nodiscard]] std::string pieceHtml(const Piece& piece) const {
        const std::string text = escapedHtml(piece.text);
        switch (piece.kind) {
        case PieceKind::Plain:
            return text;
        case PieceKind::Code:
            return "<code>" + text + "</code>";
        case PieceKind::Strong:
            return "<b>" + text + "</b>";
        case PieceKind::Emphasis:
            return "<i>" + text + "</i>";
        case PieceKind::Link:
            break;
        }
        const std::string place
            = piece.place.starts_with('#') ? m_page.id + piece.place : piece.place;
        return fmt::format("<a href=\"{}\" style=\"color: {}; text-decoration: none;\">{}</a>",
            escapedHtml(place), m_style.accent, text);
    }
    [[nodiscard]] std::string lineHtml(const Line& line) const {
        std::string html;
        for (const Piece& piece : line)
            html += pieceHtml(piece);
        return html;
    }

    void addBlock(const Block& block) {
        if (block.kind != BlockKind::Item)
            closeList();
        const int space = m_style.space;
        switch (block.kind) {
        case BlockKind::Heading:
            return addHeading(block);
        case BlockKind::Paragraph:
            return add(fmt::format(
                "<p style=\"margin: 0 0 {}px 0;\">{}</p>", space, lineHtml(block.line)));
        case BlockKind::Item:
            return addItem(block);
        case BlockKind::Term:
            return add(fmt::format(
                "<p style=\"margin: {}px 0 0 0;\"><b>{}</b></p>", space / 2, lineHtml(block.line)));
        case BlockKind::Definition:
            return add(fmt::format("<p style=\"margin: 0 0 {}px {}px;\">{}</p>", space, 2 * space,
                lineHtml(block.line)));
        case BlockKind::Table:
            return addTable(block);
        case BlockKind::Code:
            return add(fmt::format("<table width=\"100%\" cellpadding=\"{}\" bgcolor=\"{}\"><tr>"
                                   "<td><pre>{}</pre></td></tr></table><p style=\"margin: 0 0 "
                                   "{}px 0; font-size: 1px;\"></p>",
                space, m_style.raised, escapedHtml(trimmed(block.code)), space));
        }
    }
    void addHeading(const Block& block) {
        const bool isSection = block.level == 2;
        add(fmt::format("<p style=\"font-size: {}px; font-weight: 600; margin: {}px 0 {}px 0;\">"
                        "<a name=\"{}\">{}</a></p>",
            m_style.bodySize + (isSection ? 4 : 1), (isSection ? 3 : 2) * m_style.space,
            m_style.space / 2, block.anchor, lineHtml(block.line)));
    }
    void addItem(const Block& block) {
        if (!m_isList)
            add(fmt::format("<ul style=\"margin: 0 0 {}px 0;\">", m_style.space));
        m_isList = true;
        add("<li>" + lineHtml(block.line) + "</li>");
    }
    void closeList() {
        if (m_isList)
            add("</ul>");
        m_isList = false;
    }
    void addTable(const Block& block) {
        add(fmt::format("<table width=\"100%\" cellspacing=\"0\" cellpadding=\"{}\" "
                        "style=\"border-collapse: collapse;\">",
            m_style.space / 2));
        for (std::size_t i = 0; i < block.rows.size(); ++i) {
            add("<tr>");
            for (const Line& cell : block.rows[i])
                add(fmt::format("<td style=\"border-bottom: 1px solid {}; border-top: 0px; "
                                "border-left: 0px; border-right: 0px;{}\">{}</td>",
                    m_style.line, i == 0 ? " color: " + m_style.secondary + ";" : std::string(),
                    lineHtml(cell)));
            add("</tr>");
        }
        add(fmt::format(
            "</table><p style=\"margin: 0 0 {}px 0; font-size: 1px;\"></p>", m_style.space));
    }

    const Page& m_page;
    const HtmlStyle& m_style;
    std::string m_html;
    bool m_isList = false;
};

// The first of the words at or behind a place in the text, which is in lower case.
std::pair<std::size_t, std::size_t> nextWord(
    const std::string& text, const std::vector<std::string>& words, std::size_t from) {
    std::pair<std::size_t, std::size_t> best{text.size(), 0};
    for (const std::string& word : words) {
        const std::size_t at = text.find(word, from);
        if (at < best.first || (at == best.first && word.size() > best.second))
            best = {at, word.size()};
    }
    return best;
}

} // namespace

std::string htmlPage(const Page& page, const HtmlStyle& style) {
    return Writer(page, style).write();
}

std::string withBoldWords(const std::string& text, const std::vector<std::string>& words) {
    const std::string all = lowered(text);
    std::string html;
    std::size_t from = 0;
    while (from < text.size()) {
        const auto [at, length] = nextWord(all, words, from);
        html += escapedHtml(std::string_view(text).substr(from, at - from));
        if (length > 0)
            html += "<b>" + escapedHtml(std::string_view(text).substr(at, length)) + "</b>";
        from = at + length;
    }
    return html;
}

} // namespace trainscope::app::manual
