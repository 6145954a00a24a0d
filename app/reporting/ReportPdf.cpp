#include "app/painting/FigureExport.h"
#include "app/painting/PdfFile.h"
#include "app/painting/ScenePainter.h"
#include "app/reporting/ReportFile.h"

#include <QAbstractTextDocumentLayout>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextObjectInterface>

#include <cmath>

namespace trainscope::app {

namespace {

constexpr double kReportMargin = 48.0; // points
constexpr double kFoot = 24.0;
constexpr double kIndent = 14.0; // indent of lists
constexpr double kLeastOfPage = 0.2; // share of the last page that is worth it
constexpr int kFigureObject = QTextFormat::UserObject + 1; // the format's object type
constexpr int kFigureIndex = QTextFormat::UserProperty + 1; // index of the scene

std::size_t figureOf(const QTextFormat& format) {
    return static_cast<std::size_t>(format.intProperty(kFigureIndex));
}

// Figures as characters of the document, drawn as vectors.
class FigureObject : public QObject, public QTextObjectInterface {
    Q_OBJECT
    Q_INTERFACES(QTextObjectInterface)

public:
    // One unit of a scene is one of the document; none is higher than `most`. The figures must
    // outlive this.
    FigureObject(std::vector<const figures::Figure*> figures, double width, double most)
        : m_figures(std::move(figures))
        , m_width(width) {
        for (const auto* figure : m_figures) {
            auto scene = drawFigure(*figure, plot::paperTheme(), width);
            // One that would be higher than a page is as high as one, where its kind can be.
            if (scene.height > most)
                scene = drawFigure(*figure, plot::paperTheme(), width, most);
            m_heights.push_back(std::min(scene.height, most));
            m_scenes.push_back(std::move(scene));
        }
    }

    [[nodiscard]] std::size_t count() const { return m_scenes.size(); }
    [[nodiscard]] double heightOf(std::size_t figure) const { return m_heights[figure]; }
    // Draws it lower, else makes it a little smaller: its texts stay legible. False: neither does.
    bool lower(std::size_t figure, double most) {
        constexpr double leastDrawn = 0.6;
        constexpr double leastScaled = 0.82;
        const double height = m_heights[figure];
        if (most < leastDrawn * height)
            return false;
        auto scene = drawFigure(*m_figures[figure], plot::paperTheme(), m_width, most);
        const bool isLower = scene.height <= most;
        if (!isLower && most < leastScaled * height)
            return false;
        if (isLower)
            m_scenes[figure] = std::move(scene);
        m_heights[figure] = most;
        return true;
    }

    QSizeF intrinsicSize(QTextDocument*, int, const QTextFormat& format) override {
        const std::size_t index = figureOf(format);
        const auto& scene = m_scenes[index];
        const double scale = std::min(1.0, heightOf(index) / scene.height);
        return {scene.width * scale, scene.height * scale};
    }

    void drawObject(QPainter* painter, const QRectF& rect, QTextDocument*, int,
        const QTextFormat& format) override {
        // One that only touches the page stands on the next.
        if (!painter->clipBoundingRect().intersects(rect.adjusted(0.0, 1.0, 0.0, -1.0)))
            return;
        painter->save();
        painter->translate(rect.topLeft());
        const std::size_t index = figureOf(format);
        const auto& scene = m_scenes[index];
        const double scale = std::min(1.0, heightOf(index) / scene.height);
        painter->scale(scale, scale);
        paintScene(scene, plot::paperTheme(), *painter, PaintTarget::Vector);
        painter->restore();
    }

private:
    std::vector<const figures::Figure*> m_figures;
    double m_width;
    std::vector<plot::PlotScene> m_scenes;
    std::vector<double> m_heights; // by scene
};

// In points.
struct Sheet {
    double width = 595.276;
    double height = 841.89;

    [[nodiscard]] double contentWidth() const { return width - 2.0 * kReportMargin; }
    [[nodiscard]] double contentHeight() const { return height - 2.0 * kReportMargin - kFoot; }
};

Sheet sheetOf(Paper paper) {
    return paper == Paper::Letter ? Sheet{612.0, 792.0} : Sheet{};
}

constexpr const char* kDocumentStyle = R"(
h1{font-size:15px;font-weight:600}h2{font-size:11px;font-weight:600;margin-top:14px;margin-bottom:3px}
h3{font-size:8.5px;font-weight:600;color:#333;margin-top:8px;margin-bottom:2px}
p,li{font-size:8.5px;margin-top:2px;margin-bottom:3px}td,th{font-size:6.5px}th{font-weight:600;color:#333}
.facts,.note,.rule{color:#444;font-size:7.5px}
)";

QByteArray placeholder(std::size_t figure) {
    return "[[figure " + QByteArray::number(static_cast<qulonglong>(figure)) + "]]";
}

// Puts figures in the place of their placeholders.
void insertFigures(QTextDocument& document, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        QTextCursor cursor = document.find(QString::fromLatin1(placeholder(i)));
        if (cursor.isNull())
            continue;
        QTextCharFormat format;
        format.setObjectType(kFigureObject);
        format.setProperty(kFigureIndex, static_cast<int>(i));
        cursor.insertText(QString(QChar::ObjectReplacementCharacter), format);
    }
}

// All of it, since Qt moves what follows a change only in part.
void layOutAgain(QTextDocument& document) {
    document.setPageSize(document.pageSize());
}

void breakBefore(const QTextBlock& block, QTextFormat::PageBreakFlags policy) {
    QTextBlockFormat format = block.blockFormat();
    format.setPageBreakPolicy(policy);
    QTextCursor(block).setBlockFormat(format);
}

// A heading whose text begins on the next page goes there too.
void keepHeadingsWithText(QTextDocument& document) {
    const double height = document.pageSize().height();
    const auto* layout = document.documentLayout();
    const auto pageOf
        = [height](double y) { return static_cast<int>(std::floor(std::max(0.0, y) / height)); };
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() == 0 || !block.next().isValid())
            continue;
        QTextBlock text = block.next();
        while (text.blockFormat().headingLevel() > 0 && text.next().isValid())
            text = text.next();
        const int page = pageOf(layout->blockBoundingRect(block).top());
        if (page == pageOf(layout->blockBoundingRect(text).bottom()))
            continue;
        breakBefore(block, QTextFormat::PageBreak_AlwaysBefore);
        layOutAgain(document);
    }
}

bool isFigure(const QTextBlock& block) {
    return !block.begin().atEnd()
        && block.begin().fragment().charFormat().objectType() == kFigureObject;
}

void putFigure(const QTextBlock& block, std::size_t figure) {
    QTextCursor cursor(block);
    cursor.movePosition(QTextCursor::NextCharacter, QTextCursor::KeepAnchor);
    QTextCharFormat format;
    format.setProperty(kFigureIndex, static_cast<int>(figure));
    cursor.mergeCharFormat(format);
}

// A figure that is too high for the rest of its page is drawn lower, or gives its place to the
// first one behind that fits: those from `movable` to `end` are in no order that must be kept.
void fillPages(
    QTextDocument& document, FigureObject& figures, std::size_t movable, std::size_t end) {
    const double page = document.pageSize().height();
    std::vector<QTextBlock> places;
    std::vector<std::size_t> order;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        if (!isFigure(block))
            continue;
        places.push_back(block);
        order.push_back(figureOf(block.begin().fragment().charFormat()));
    }
    const auto canMove = [=](std::size_t figure) { return figure >= movable && figure < end; };
    for (std::size_t i = 0; i < places.size(); ++i) {
        const double top = document.documentLayout()->blockBoundingRect(places[i]).top();
        const double rest = page - std::fmod(std::max(0.0, top), page) - kFoot / 2.0;
        if (figures.heightOf(order[i]) <= rest)
            continue;
        std::size_t other = i;
        while (canMove(order[i]) && ++other < order.size()) {
            if (canMove(order[other]) && figures.heightOf(order[other]) <= rest)
                break;
        }
        if (other > i && other < order.size()) {
            std::rotate(order.begin() + static_cast<std::ptrdiff_t>(i),
                order.begin() + static_cast<std::ptrdiff_t>(other),
                order.begin() + static_cast<std::ptrdiff_t>(other) + 1);
            for (std::size_t moved = i; moved <= other; ++moved)
                putFigure(places[moved], order[moved]);
        } else if (!figures.lower(order[i], rest)) {
            continue;
        }
        layOutAgain(document);
    }
}

void paintFoot(
    QPainter& painter, const report::Report& report, const Sheet& sheet, int page, int pages) {
    painter.setFont(themeFont(plot::paperTheme(), plot::TextRole::Small, false));
    painter.setPen(QColor(0x33, 0x33, 0x33));
    const QRectF foot(kReportMargin, sheet.height - kReportMargin, sheet.contentWidth(), kFoot);
    painter.drawText(foot, Qt::AlignLeft | Qt::AlignTop,
        QStringLiteral("Trainscope " TRAINSCOPE_VERSION " · ")
            + QString::fromStdString(report.title));
    painter.drawText(
        foot, Qt::AlignRight | Qt::AlignTop, QStringLiteral("%1 of %2").arg(page + 1).arg(pages));
}

void paintPages(QPdfWriter& writer, QPainter& painter, QTextDocument& document,
    const report::Report& report, const Sheet& sheet) {
    const int pages = document.pageCount();
    const double height = document.pageSize().height();
    for (int page = 0; page < pages; ++page) {
        if (page > 0)
            writer.newPage();
        painter.save();
        painter.translate(kReportMargin, kReportMargin - page * height);
        const QRectF visible(0.0, page * height, sheet.contentWidth(), height);
        painter.setClipRect(visible);
        QAbstractTextDocumentLayout::PaintContext context;
        context.clip = visible;
        context.palette.setColor(QPalette::Text, Qt::black);
        document.documentLayout()->draw(&painter, context);
        painter.restore();
        paintFoot(painter, report, sheet, page, pages);
    }
}

} // namespace

Result<QByteArray> reportPdf(const report::Report& report, Paper paper) {
    const Sheet sheet = sheetOf(paper);
    FigureObject figures(figuresOf(report), sheet.contentWidth(), sheet.contentHeight() - kFoot);
    QTextDocument document;
    document.setDocumentMargin(0.0);
    document.setIndentWidth(kIndent);
    document.setUseDesignMetrics(true);
    document.setDefaultFont(themeFont(plot::paperTheme(), plot::TextRole::Body, false));
    document.setDefaultStyleSheet(QString::fromLatin1(kDocumentStyle));
    document.documentLayout()->registerHandler(kFigureObject, &figures);
    document.setHtml(QString::fromUtf8(reportBody(
        report, [](std::size_t i) { return "<p>" + placeholder(i) + "</p>\n"; }, true)));
    insertFigures(document, figures.count());
    document.setPageSize(QSizeF(sheet.contentWidth(), sheet.contentHeight()));
    const std::size_t movable = report.overview.size();
    // Somewhat lower figures where the last page would hold a few lines.
    for (const double share : {1.0, 0.93, 0.86}) {
        for (std::size_t i = 0; share < 1.0 && i < figures.count(); ++i)
            figures.lower(i, share * figures.heightOf(i));
        for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
            if (block.blockFormat().pageBreakPolicy() != QTextFormat::PageBreak_Auto)
                breakBefore(block, QTextFormat::PageBreak_Auto);
        }
        layOutAgain(document);
        fillPages(document, figures, movable, movable + report.figures.size());
        keepHeadingsWithText(document);
        const double end
            = document.documentLayout()->blockBoundingRect(document.lastBlock()).bottom();
        if (document.pageCount() == 1
            || std::fmod(end, sheet.contentHeight()) > kLeastOfPage * sheet.contentHeight())
            break;
    }
    QString sources = QStringLiteral("Sources:");
    for (const auto& hash : report.hashes)
        sources += QLatin1Char(' ') + QString::fromStdString(hash);
    return paintPdf(
        {sheet.width, sheet.height, QString::fromStdString(report.title),
            report.hashes.empty() ? QString() : sources, QStringLiteral("Trainscope, report")},
        [&](QPdfWriter& writer, QPainter& painter) {
            paintPages(writer, painter, document, report, sheet);
        });
}

} // namespace trainscope::app

#include "ReportPdf.moc"
