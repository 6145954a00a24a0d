#include "app/painting/PdfNormalise.h"

#include <QCryptographicHash>
#include <QList>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace trainscope::app {

namespace {

Error broken() {
    return {
        ErrorCode::Internal, "The PDF writer gave an unexpected file; export as SVG instead.", {}};
}

// UTF-16 as a hexadecimal string: any text without escapes.
QByteArray textString(const QString& text) {
    QByteArray hex("<FEFF");
    for (const QChar c : text)
        hex += QByteArray::number(c.unicode(), 16).rightJustified(4, '0').toUpper();
    return hex + '>';
}

QByteArray informationObject(const PdfInformation& information) {
    QByteArray out("1 0 obj\n<<\n");
    const auto add = [&out](const char* key, const QString& text) {
        if (!text.isEmpty())
            out += QByteArray("/") + key + ' ' + textString(text) + '\n';
    };
    add("Title", information.title);
    add("Subject", information.subject);
    add("Keywords", information.keywords);
    add("Creator", information.creator);
    add("Producer", QStringLiteral("Qt " QT_VERSION_STR));
    return out + ">>\nendobj\n";
}

// The page in its true size. The content hangs from the upper edge of Qt's box, whose height is
// kept.
QByteArray withTrueBox(const QByteArray& page, const PdfInformation& information) {
    const QByteArray key = "/MediaBox [";
    const qsizetype start = page.indexOf(key);
    const qsizetype end = page.indexOf(']', start);
    if (start < 0 || end < 0)
        return page;
    const QByteArray numbers = page.mid(start + key.size(), end - start - key.size());
    const double top = numbers.split(' ').value(3).toDouble();
    const auto text = [](double value) { return QByteArray::number(value, 'f', 3); };
    return page.left(start) + key + "0 " + text(top - information.heightPoints) + ' '
        + text(information.widthPoints) + ' ' + text(top) + page.mid(end);
}

struct Layout {
    std::map<int, qsizetype> offsets; // by object number
    qsizetype xref = 0;
};

// The cross-reference table that the last lines point to; Qt writes exactly one.
bool readLayout(const QByteArray& pdf, Layout& layout) {
    const qsizetype pointer = pdf.lastIndexOf("startxref\n");
    if (pointer < 0)
        return false;
    layout.xref = pdf.mid(pointer + 10, 20).split('\n').first().toLongLong();
    if (layout.xref <= 0 || layout.xref >= pdf.size() || pdf.mid(layout.xref, 5) != "xref\n")
        return false;
    const QList<QByteArray> lines = pdf.mid(layout.xref, pointer - layout.xref).split('\n');
    if (lines.size() < 3)
        return false;
    const int count = lines[1].split(' ').value(1).toInt();
    for (int i = 1; i < count; ++i) {
        const QByteArray line = lines.value(2 + i);
        if (!line.trimmed().endsWith('n'))
            continue;
        const qsizetype offset = line.left(10).toLongLong();
        if (offset <= 0 || offset >= layout.xref)
            return false;
        layout.offsets[i] = offset;
    }
    return !layout.offsets.empty();
}

std::map<int, QByteArray> readObjects(const QByteArray& pdf, const Layout& layout) {
    std::vector<std::pair<qsizetype, int>> order;
    for (const auto& [number, offset] : layout.offsets)
        order.emplace_back(offset, number);
    std::sort(order.begin(), order.end());
    std::map<int, QByteArray> objects;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const qsizetype end = i + 1 < order.size() ? order[i + 1].first : layout.xref;
        objects[order[i].second] = pdf.mid(order[i].first, end - order[i].first);
    }
    return objects;
}

} // namespace

Result<QByteArray> normalisePdf(const QByteArray& pdf, const PdfInformation& information) {
    Layout layout;
    if (!readLayout(pdf, layout))
        return broken();
    auto objects = readObjects(pdf, layout);
    if (!objects.contains(1) || !objects[1].contains("/Producer"))
        return broken();
    objects[1] = informationObject(information);
    for (auto& [number, object] : objects) {
        if (object.contains("/Type /Page\n"))
            object = withTrueBox(object, information);
    }
    const qsizetype first
        = std::min_element(layout.offsets.begin(), layout.offsets.end(), [](auto& a, auto& b) {
              return a.second < b.second;
          })->second;
    QByteArray out = pdf.left(first);
    const int size = objects.rbegin()->first + 1;
    QByteArray table = "xref\n0 " + QByteArray::number(size) + "\n0000000000 65535 f \n";
    for (int number = 1; number < size; ++number) {
        const auto object = objects.find(number);
        if (object == objects.end()) {
            table += "0000000000 00000 f \n";
            continue;
        }
        table += QByteArray::number(out.size()).rightJustified(10, '0') + " 00000 n \n";
        out += object->second;
    }
    const QByteArray id = QCryptographicHash::hash(out, QCryptographicHash::Md5).toHex();
    const QByteArray start = QByteArray::number(out.size());
    return out + table + "trailer\n<<\n/Size " + QByteArray::number(size)
        + "\n/Info 1 0 R\n/Root 2 0 R\n/ID [<" + id + "> <" + id + ">]\n>>\nstartxref\n" + start
        + "\n%%EOF\n";
}

} // namespace trainscope::app
