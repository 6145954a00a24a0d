#include "app/viewmodels/text/RunWording.h"

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/Texts.h"
#include "core/catalogue/GpuGuess.h"
#include "core/text/RunState.h"
#include "core/text/Times.h"

#include <QRegularExpression>

namespace trainscope::app {

namespace {

const QString kDot = QStringLiteral(" · ");

// "NVIDIA H100 80GB HBM3" → "H100", "Tesla P100-PCIE-16GB" → "P100", "NVIDIA RTX A6000" → "RTX
// A6000": without the maker, up to the first word with a digit.
QString shortModel(const std::string& model) {
    static const QStringList makers{QStringLiteral("NVIDIA"), QStringLiteral("AMD"),
        QStringLiteral("Tesla"), QStringLiteral("Instinct"), QStringLiteral("Graphics"),
        QStringLiteral("Device")};
    static const QRegularExpression digit(QStringLiteral("[0-9]"));
    static const QRegularExpression blank(QStringLiteral("\\s+"));
    QStringList kept;
    for (const auto& word : QString::fromStdString(model).split(blank, Qt::SkipEmptyParts)) {
        if (kept.isEmpty() && makers.contains(word, Qt::CaseInsensitive))
            continue;
        const bool isLast = word.contains(digit);
        kept.append(isLast ? word.section(QLatin1Char('-'), 0, 0) : word);
        if (isLast)
            break;
    }
    return kept.join(QLatin1Char(' '));
}

void add(QStringList& parts, const char* prefix, const std::optional<int>& degree) {
    if (degree)
        parts.append(QLatin1String(prefix) + QString::number(*degree));
}

} // namespace

text::Named namedRun(const Run& run) {
    std::vector<std::string> facts;
    if (!run.range.isEmpty() && run.range.begin.ns > 0) {
        facts = {text::clock(run.range.begin, 0, 0), text::date(run.range.begin, 0)};
    }
    facts.push_back(gpuText(run).toStdString());
    return {run.name, std::move(facts)};
}

QString gpuText(const Run& run) {
    QString model = shortModel(run.gpuModel);
    if (catalogue::isInferredName(run.gpuModel))
        model = QStringLiteral("%1 (inferred)").arg(model);
    if (run.gpuCount == 0)
        return model;
    if (model.isEmpty())
        return countedText(run.gpuCount, "GPU");
    return QStringLiteral("%1 × %2").arg(run.gpuCount).arg(model);
}

QString layoutText(const LaunchConfig& launch) {
    QStringList parts;
    add(parts, "TP", launch.tensorParallel);
    add(parts, "CP", launch.contextParallel);
    add(parts, "EP", launch.expertParallel);
    add(parts, "PP", launch.pipelineParallel);
    add(parts, "VPP", launch.virtualPipeline);
    add(parts, "DP", launch.dataParallel);
    return parts.join(kDot);
}

QString runDetail(const Run& run) {
    QStringList parts;
    if (run.launch.model)
        parts.append(QString::fromStdString(*run.launch.model));
    if (const auto gpus = gpuText(run); !gpus.isEmpty())
        parts.append(gpus);
    if (const auto layout = layoutText(run.launch); !layout.isEmpty())
        parts.append(layout);
    if (parts.isEmpty())
        parts.append(textOf(text::seconds(text::runLength(run).seconds())));
    return parts.join(kDot);
}

QString runFacts(const Run& run) {
    QStringList parts;
    if (const auto gpus = gpuText(run); !gpus.isEmpty())
        parts.append(gpus);
    if (run.nodeCount > 0)
        parts.append(countedText(run.nodeCount, "node"));
    if (const auto layout = layoutText(run.launch); !layout.isEmpty())
        parts.append(layout);
    if (run.launch.microBatch)
        parts.append(QStringLiteral("micro-batch %1").arg(*run.launch.microBatch));
    if (run.launch.globalBatch)
        parts.append(QStringLiteral("batch %1").arg(*run.launch.globalBatch));
    if (!run.range.isEmpty())
        parts.append(textOf(text::seconds(text::runLength(run).seconds())));
    return parts.join(kDot);
}

QString strongTag(const Run& run) {
    if (run.status == RunStatus::Oom)
        return QStringLiteral("out of memory");
    if (text::isBeingRecorded(run, wallClock()))
        return QStringLiteral("recording");
    return run.status == RunStatus::Partial ? QStringLiteral("partial") : QString();
}

QStringList runTags(const Run& run) {
    QStringList tags;
    if (const auto strong = strongTag(run); !strong.isEmpty())
        tags.append(strong);
    if (run.simulated)
        tags.append(QStringLiteral("simulated"));
    else
        tags.append(run.kind == RunKind::Predicted ? QStringLiteral("predicted")
                                                   : QStringLiteral("measured"));
    if (run.launch.recompute.value_or(false))
        tags.append(QStringLiteral("recompute"));
    if (run.launch.overlap.value_or(false))
        tags.append(QStringLiteral("overlap"));
    return tags;
}

QString runDescription(const Run& run) {
    return QStringList{
        QString::fromStdString(run.name), runFacts(run), runTags(run).join(QStringLiteral(", "))}
        .join(QStringLiteral(". "));
}

QString runSearchText(const Run& run) {
    QStringList words{QString::fromStdString(run.name), runDetail(run), runFacts(run),
        QString::fromStdString(run.gpuModel), runTags(run).join(QLatin1Char(' '))};
    if (run.status == RunStatus::Oom)
        words.append(QStringLiteral("oom"));
    return words.join(QLatin1Char(' ')).toLower();
}

QString noRunsText() {
    return QStringLiteral("This run database is empty. Drop a result folder here to import it.");
}

QString chooseRunText() {
    return QStringLiteral("Choose a run on the left.");
}

} // namespace trainscope::app
