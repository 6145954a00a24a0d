#pragma once
// The manual: pages of resources/manual with what the code says of itself filled in, what lies
// where in them, and the search over all of them. Made once, at the first call; any thread.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::app::manual {

// The markup of the manual's pages: the part of Markdown that a help page needs, as blocks that the
// window and the man pages are written from.
//
// A page begins with "# Title" and "> what it is about". Below stand "## Section" and "###
// Subsection", paragraphs, "- items", definitions (a line with the term, below it ": its text"),
// "| tables |" with a head, and code between "```" lines. Lines of one paragraph, item or
// definition are joined. Inline: `code`, **strong**, *emphasis* and [text](place), none inside
// another but in strong; a place is "page", "page#section", "#section" or a web address.

struct Piece {
    enum class Kind { Plain, Code, Strong, Emphasis, Link };
    Kind kind = Kind::Plain;
    std::string text;
    std::string place = {}; // target of a link

    bool operator==(const Piece&) const = default;
};
using Line = std::vector<Piece>;

struct Block {
    enum class Kind { Heading, Paragraph, Item, Term, Definition, Table, Code };
    Kind kind = Kind::Paragraph;
    Line line = {};
    int level = 0; // heading: 2 or 3
    std::string anchor = {}; // heading: "step-time"
    std::vector<std::vector<Line>> rows = {}; // table; the first is its head
    std::string code = {};
};

struct Markup {
    std::string title;
    std::string about;
    std::vector<Block> blocks;
};

Markup parseMarkup(std::string_view text);
Line parseLine(std::string_view text);
// Without marks.
std::string plainText(const Line& line);
std::string plainText(const Block& block);
// "Step time (s)" → "step-time-s"
std::string anchorOf(std::string_view heading);

struct PageText {
    std::string_view id; // "numbers"
    std::string_view text;
};
// The texts of the pages, resources/manual/*.md, compiled in; in the order of the manual.
std::span<const PageText> pageTexts();

// The words that --help of a command has below its options, resources/help/commands.md; empty: it
// has none.
std::string_view helpOf(std::string_view command);

// From one heading to the next; the first one of a page has none.
struct Section {
    std::string anchor; // empty: the beginning of the page
    std::string title;
    int level = 0;
    std::string text; // plain
};

struct Page {
    std::string id; // "numbers"
    std::string text; // Markdown
    Markup markup;
    std::vector<Section> sections;
};

// "numbers#step-time", split.
struct Place {
    std::string page;
    std::string anchor; // empty: its beginning

    bool operator==(const Place&) const = default;
};
Place placeOf(std::string_view text);

const std::vector<Page>& pages();
const Page* findPage(std::string_view id); // nullptr: there is none
// The page of that name, else the first section with that anchor; empty: neither.
std::optional<Place> findTopic(std::string_view name);

// Blocks of the section at that place, those below it with theirs, without its own heading; of a
// page its beginning. Empty where there is no such place.
std::vector<Block> blocksAt(const Place& place);
// The first words of a section, in plain lines of that many characters at most; "Title: text".
// Empty where there is no such place.
std::string definitionAt(std::string_view place, std::size_t columns);

struct Hit {
    Place place;
    std::string title; // title of the section
    std::string pageTitle;
    std::string excerpt; // around the first word that occurs in its text
    int score = 0;
};
// Sections that contain every word, whatever its case; those that have them in their title first,
// else in the order of the manual.
std::vector<Hit> search(std::string_view query);
// Words of a query: "step time" → step, time.
std::vector<std::string> queryWords(std::string_view query);

// A page of the manual as rich text of the window: the part of HTML and CSS that QTextDocument
// understands, in the colours of the theme. Headings are anchors by their names.
// Colours as "#rrggbb"; sizes in pixels.
struct HtmlStyle {
    std::string text;
    std::string secondary;
    std::string accent;
    std::string line;
    std::string raised;
    int bodySize = 13;
    int titleSize = 22;
    int space = 8;
};

// Marks of HTML and XML in the text stand for themselves.
std::string escapedHtml(std::string_view text);
std::string htmlPage(const Page& page, const HtmlStyle& style);
// `text` with the words in bold, for Text.StyledText.
std::string withBoldWords(const std::string& text, const std::vector<std::string>& words);

// A page of the manual as a man page of section 7: troff with the macros of man(7), plain ASCII.
std::string manPage(const Page& page);

} // namespace trainscope::app::manual
