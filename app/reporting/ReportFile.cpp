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

Status writeReport(const report::Report& report, const QString& path, Paper paper) {
    const QString suffix = QFileInfo(path).suffix().toLower();
    const bool isPdf = suffix == QLatin1String("pdf");
    if (!isPdf && suffix != QLatin1String("html") && suffix != QLatin1String("htm"))
        return Error{
            ErrorCode::Usage, "A report's name ends in .pdf or .html.", path.toStdString()};
    const text::WordingFor file(text::Medium::File);
    ASSIGN_OR_RETURN(const auto bytes, isPdf ? reportPdf(report, paper) : reportHtml(report));
    return writeFile(path, bytes);
}

} // namespace trainscope::app
