#include "app/painting/FontSubset.h"

#include "app/painting/BigEndian.h"
#include "app/painting/GlyphOutline.h"

#include <QPointF>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace trainscope::app {

namespace {

constexpr int kUnitsPerEm = 1000;

struct Glyph {
    char16_t character = 0; // 0: the "not defined" glyph
    int advance = 0;
    QByteArray outline;
    int contours = 0;
    int points = 0;
    int leftBearing = 0;
};

struct Font {
    std::vector<Glyph> glyphs; // by character, the "not defined" glyph first
    int ascent = 0;
    int descent = 0; // positive
    int weight = 400;
    QString family;
};

Glyph readGlyph(const QRawFont& font, quint32 index, char16_t character) {
    Glyph glyph;
    glyph.character = character;
    const auto advances = font.advancesForGlyphIndexes({index});
    glyph.advance = advances.isEmpty() ? 0 : static_cast<int>(std::lround(advances.first().x()));
    const auto outline = GlyphOutline::fromPath(font.pathForGlyph(index));
    glyph.contours = static_cast<int>(outline.contours.size());
    int left = 0;
    for (const auto& contour : outline.contours) {
        glyph.points += static_cast<int>(contour.size());
        for (const auto& point : contour)
            left = std::min(left == 0 ? point.x : left, point.x);
    }
    glyph.leftBearing = left;
    glyph.outline = outline.encode();
    return glyph;
}

// Bit 1 of OS/2 fsType: no embedding without the owner's permission.
bool forbidsEmbedding(const QRawFont& font) {
    const QByteArray table = font.fontTable("OS/2");
    constexpr qsizetype kFsTypeLow = 9;
    return table.size() > kFsTypeLow
        && (static_cast<unsigned char>(table[kFsTypeLow]) & 0x02U) != 0;
}

Font readFont(QRawFont raw, QString characters) {
    raw.setPixelSize(kUnitsPerEm);
    std::sort(characters.begin(), characters.end());
    characters.erase(std::unique(characters.begin(), characters.end()), characters.end());
    Font font;
    font.ascent = static_cast<int>(std::lround(raw.ascent()));
    font.descent = static_cast<int>(std::lround(raw.descent()));
    font.weight = raw.weight();
    font.family = raw.familyName();
    font.glyphs.push_back(readGlyph(raw, 0, 0));
    for (const QChar character : characters) {
        const auto indexes = raw.glyphIndexesForString(QString(character));
        if (!indexes.isEmpty() && indexes.first() != 0 && !character.isSurrogate())
            font.glyphs.push_back(readGlyph(raw, indexes.first(), character.unicode()));
    }
    return font;
}

// Segment mapping, format 4: one segment a character keeps the arithmetic trivial.
QByteArray cmapTable(const Font& font) {
    const int segments = static_cast<int>(font.glyphs.size()); // the last one ends the table
    int power = 1;
    int selector = 0;
    while (power * 2 <= segments) {
        power *= 2;
        ++selector;
    }
    QByteArray ends;
    QByteArray starts;
    QByteArray deltas;
    for (int i = 1; i < segments; ++i) {
        const int character = font.glyphs[static_cast<std::size_t>(i)].character;
        put16(ends, character);
        put16(starts, character);
        put16(deltas, (i - character) & 0xFFFF);
    }
    put16(ends, 0xFFFF);
    put16(starts, 0xFFFF);
    put16(deltas, 1);
    QByteArray out;
    for (const int value : {0, 1, 3, 1})
        put16(out, value); // version, one table: Windows, Unicode BMP
    put32(out, 12);
    put16(out, 4);
    put16(out, 16 + 8 * segments);
    for (const int value : {0, segments * 2, power * 2, selector, (segments - power) * 2})
        put16(out, value);
    out += ends;
    put16(out, 0);
    out += starts + deltas + QByteArray(qsizetype{2} * segments, '\0');
    return out;
}

QByteArray headTable() {
    QByteArray out;
    put32(out, 0x00010000);
    put32(out, 0x00010000);
    put32(out, 0); // adjustment, patched at the end
    put32(out, 0x5F0F3CF5);
    put16(out, 0x0003); // baseline and left side bearing at 0
    put16(out, kUnitsPerEm);
    out += QByteArray(16, '\0'); // created, modified: no date, for equal bytes
    for (const int value : {-kUnitsPerEm, -kUnitsPerEm, 3 * kUnitsPerEm, 2 * kUnitsPerEm})
        put16(out, value);
    for (const int value : {0, 6, 2, 1, 0})
        put16(out, value); // style, smallest size, direction, long offsets, glyf
    return out;
}

QByteArray hheaTable(const Font& font) {
    QByteArray out;
    put32(out, 0x00010000);
    int widest = 0;
    for (const auto& glyph : font.glyphs)
        widest = std::max(widest, glyph.advance);
    for (const int value :
        {font.ascent, -font.descent, 0, widest, 0, 0, widest, 1, 0, 0, 0, 0, 0, 0, 0})
        put16(out, value);
    put16(out, static_cast<int>(font.glyphs.size()));
    return out;
}

QByteArray maxpTable(const Font& font) {
    int points = 0;
    int contours = 0;
    for (const auto& glyph : font.glyphs) {
        points = std::max(points, glyph.points);
        contours = std::max(contours, glyph.contours);
    }
    QByteArray out;
    put32(out, 0x00010000);
    put16(out, static_cast<int>(font.glyphs.size()));
    for (const int value : {points, contours, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0})
        put16(out, value);
    return out;
}

QByteArray os2Table(const Font& font) {
    QByteArray out;
    const int first = font.glyphs.size() > 1 ? font.glyphs[1].character : 0;
    const int last = font.glyphs.back().character;
    for (const int value :
        {4, kUnitsPerEm / 2, font.weight, 5, 0, 650, 700, 0, 140, 650, 700, 0, 480, 50, 250, 0})
        put16(out, value);
    out += QByteArray(10, '\0'); // classification: any
    out += QByteArray(16, '\0'); // Unicode ranges: not said
    out += QByteArray("NONE", 4);
    const int style = font.weight >= 600 ? 0x0020 : 0x0040;
    for (const int value :
        {style, first, last, font.ascent, -font.descent, 0, font.ascent, font.descent})
        put16(out, value);
    put32(out, 1);
    put32(out, 0);
    for (const int value : {546, 727, 0, 32, 1})
        put16(out, value);
    return out;
}

QByteArray nameTable(const Font& font) {
    const QString style
        = font.weight >= 600 ? QStringLiteral("SemiBold") : QStringLiteral("Regular");
    const std::map<int, QString> names{{1, font.family}, {2, style},
        {4, font.family + QLatin1Char(' ') + style},
        {6, QString(font.family).remove(QLatin1Char(' ')) + QLatin1Char('-') + style}};
    QByteArray records;
    QByteArray strings;
    for (const auto& [id, text] : names) {
        for (const int value :
            {3, 1, 0x0409, id, static_cast<int>(2 * text.size()), static_cast<int>(strings.size())})
            put16(records, value);
        for (const QChar c : text)
            put16(strings, c.unicode());
    }
    QByteArray out;
    put16(out, 0);
    put16(out, static_cast<int>(names.size()));
    put16(out, static_cast<int>(6 + records.size()));
    return out + records + strings;
}

QByteArray postTable() {
    QByteArray out;
    put32(out, 0x00030000); // no glyph names
    put32(out, 0);
    put16(out, -100);
    put16(out, 50);
    return out + QByteArray(20, '\0');
}

std::uint32_t checksum(QByteArray table) {
    pad4(table);
    std::uint32_t sum = 0;
    for (qsizetype i = 0; i < table.size(); i += 4) {
        std::uint32_t word = 0;
        for (qsizetype j = 0; j < 4; ++j)
            word = word << 8U | static_cast<unsigned char>(table[i + j]);
        sum += word;
    }
    return sum;
}

QByteArray assemble(const std::map<QByteArray, QByteArray>& tables) {
    const int count = static_cast<int>(tables.size());
    int power = 1;
    int selector = 0;
    while (power * 2 <= count) {
        power *= 2;
        ++selector;
    }
    QByteArray out;
    put32(out, 0x00010000);
    for (const int value : {count, power * 16, selector, (count - power) * 16})
        put16(out, value);
    QByteArray body;
    const auto start = static_cast<std::uint32_t>(12 + 16 * count);
    std::uint32_t head = 0;
    for (const auto& [tag, table] : tables) {
        if (tag == "head")
            head = start + static_cast<std::uint32_t>(body.size());
        out += tag;
        put32(out, checksum(table));
        put32(out, start + static_cast<std::uint32_t>(body.size()));
        put32(out, static_cast<std::uint32_t>(table.size()));
        body += table;
        pad4(body);
    }
    out += body;
    QByteArray adjustment;
    put32(adjustment, 0xB1B0AFBAU - checksum(out));
    return out.replace(static_cast<qsizetype>(head) + 8, 4, adjustment);
}

} // namespace

Result<QByteArray> subsetFont(const QRawFont& raw, const QString& characters) {
    if (!raw.isValid())
        return Error{ErrorCode::NotFound, "The font of the figure's text is not installed.", {}};
    if (forbidsEmbedding(raw))
        return Error{ErrorCode::Refused,
            "The font " + raw.familyName().toStdString()
                + " may not be embedded; install Inter (Debian: fonts-inter) for text that looks "
                  "the same everywhere.",
            {}};
    const Font font = readFont(raw, characters);
    QByteArray glyf;
    QByteArray loca;
    QByteArray hmtx;
    for (const auto& glyph : font.glyphs) {
        put32(loca, static_cast<std::uint32_t>(glyf.size()));
        glyf += glyph.outline;
        put16(hmtx, glyph.advance);
        put16(hmtx, glyph.leftBearing);
    }
    put32(loca, static_cast<std::uint32_t>(glyf.size()));
    return assemble({{"OS/2", os2Table(font)}, {"cmap", cmapTable(font)}, {"glyf", glyf},
        {"head", headTable()}, {"hhea", hheaTable(font)}, {"hmtx", hmtx}, {"loca", loca},
        {"maxp", maxpTable(font)}, {"name", nameTable(font)}, {"post", postTable()}});
}

} // namespace trainscope::app
