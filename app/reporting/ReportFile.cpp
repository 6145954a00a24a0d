#include "app/reporting/ReportFile.h"

#include "app/painting/WriteFile.h"
#include "core/model/Try.h"
#include "core/text/NumberMarks.h"

#include <QFileInfo>

namespace trainscope::app {

std::array<Paper, 2> papersByUse(const QLocale& locale) {
    if (locale.measurementSystem() == QLocale::ImperialUSSystem)
        return {Paper::Letter, Paper::A4};
    return {Paper::A4, Paper::Letter};
}

Status checkReportName(const QString& path) {
    static const QStringList known{
        QStringLiteral("pdf"), QStringLiteral("html"), QStringLiteral("htm")};
    return known.contains(QFileInfo(path).suffix(), Qt::CaseInsensitive)
        ? Status()
        : Status(
            Error{ErrorCode::Usage, "A report's name ends in .pdf or .html.", path.toStdString()});
}

Status writeReport(const report::Report& report, const QString& path, Paper paper) {
    RETURN_IF_ERROR(checkReportName(path));
    const bool isPdf = path.endsWith(QLatin1String(".pdf"), Qt::CaseInsensitive);
    const text::WordingFor file(text::Medium::File);
    ASSIGN_OR_RETURN(const auto bytes, isPdf ? reportPdf(report, paper) : reportHtml(report));
    return writeFile(path, bytes);
}

} // namespace trainscope::app
