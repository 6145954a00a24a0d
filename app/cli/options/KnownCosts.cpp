#include "app/cli/options/KnownCosts.h"

#include "app/cli/commands/Command.h"
#include "core/model/TextOfFile.h"
#include "core/predict/profile/ProfiledCosts.h"
#include "core/store/database/StoreFile.h"

namespace trainscope::cli {

namespace {

Status takePlaced(const std::string& path, std::vector<PlacedJob>& rows) {
    ASSIGN_OR_RETURN(const auto table, tableFrom(path));
    for (const importers::TableRow& row : table) {
        const auto seconds = row.measuredSeconds();
        if (row.job && seconds)
            rows.push_back({row.row,
                {*row.job, *seconds, row.publisher, row.version, row.isQualified,
                    row.configuration}});
    }
    return {};
}

Status takeTable(const std::string& path, std::vector<predict::MeasuredJob>& rows) {
    std::vector<PlacedJob> placed;
    RETURN_IF_ERROR(takePlaced(path, placed));
    for (PlacedJob& one : placed)
        rows.push_back(std::move(one.job));
    return {};
}

// Runs that are named have to be such as can be used; of all those of a database some may not.
Status takeDatabase(const std::string& path, const std::vector<std::string>& names,
    const Progress& progress, std::vector<predict::MeasuredRun>& runs) {
    ASSIGN_OR_RETURN(const auto store, openDatabase(path));
    ASSIGN_OR_RETURN(const auto chosen, selectRuns(store, names));
    for (const Run& run : chosen) {
        if (names.empty() && (run.kind != RunKind::Measured || run.status != RunStatus::Ok))
            continue;
        auto measured = predict::measuredRun({store, run, progress});
        if (measured.hasValue())
            runs.push_back(std::move(measured).value());
        else if (!names.empty() || measured.error().code == ErrorCode::Cancelled)
            return measured.error();
    }
    return {};
}

// Absent without paths. Usage for runs that are named where there is no database; Unrecognised
// where nothing of them can be used.
Result<std::optional<predict::RunCalibration>> readCalibration(
    const CalibrationFiles& files, const Console& console) {
    if (files.paths.empty() && files.runs.empty())
        return std::optional<predict::RunCalibration>();
    const bool hasDatabase = std::any_of(files.paths.begin(), files.paths.end(),
        [](const std::string& path) { return store::StoreFile(path).isSqlite(); });
    if (!files.runs.empty() && !hasDatabase)
        return usageError("--calibrate-run names a run of a database: say which with --calibrate.");
    std::vector<predict::MeasuredRun> runs;
    std::vector<predict::MeasuredJob> rows;
    const Progress progress = shownOn(console);
    for (const std::string& path : files.paths)
        RETURN_IF_ERROR(store::StoreFile(path).isSqlite()
                ? takeDatabase(path, files.runs, progress, runs)
                : takeTable(path, rows));
    const bool isUseless = rows.empty() && runs.empty();
    if (isUseless)
        return Error{ErrorCode::Unrecognised,
            hasDatabase ? "No run of the database was measured on GPUs of a known kind."
                        : "No row of the table has both a complete configuration and a measured "
                          "time.",
            files.paths.front()};
    return std::optional(predict::calibrationOf(std::move(runs), std::move(rows)));
}

// None for an empty path.
Result<std::shared_ptr<const predict::ProfiledCosts>> readProfiledCosts(const std::string& path) {
    std::shared_ptr<const predict::ProfiledCosts> costs;
    if (path.empty())
        return costs;
    ASSIGN_OR_RETURN(auto profile, predict::readProfile(path));
    costs = std::make_shared<const predict::ProfiledCosts>(std::move(profile));
    return costs;
}

} // namespace

Result<std::vector<importers::TableRow>> tableFrom(const std::string& path) {
    ASSIGN_OR_RETURN(const auto text, textOfFile(path));
    auto rows = importers::readTrainingTable(text, catalogue::modelCatalogue());
    if (rows.hasValue())
        return rows;
    Error error = rows.error();
    error.where = path;
    return error;
}

Result<std::vector<PlacedJob>> readPlacedJobs(const CalibrationFiles& files) {
    std::vector<PlacedJob> rows;
    for (const std::string& path : files.paths) {
        if (store::StoreFile(path).isSqlite())
            return usageError(path
                + " is a database; rows are left out of tables: name tables alone with "
                  "--calibrate.");
        RETURN_IF_ERROR(takePlaced(path, rows));
    }
    return rows;
}

predict::Predictor KnownCosts::predictor() const {
    auto made = calibration ? calibration->predictor() : predict::Predictor();
    made.use(profile);
    return made;
}

void KnownCosts::placeAtSite(predict::ClusterRequest& cluster) const {
    if (profile)
        cluster.site = profile->onlyFabricOf(cluster.gpu.name);
}

Result<KnownCosts> readKnownCosts(
    const CalibrationFiles& files, const std::string& profile, const Console& console) {
    KnownCosts known;
    ASSIGN_OR_RETURN(known.profile, readProfiledCosts(profile));
    ASSIGN_OR_RETURN(known.calibration, readCalibration(files, console));
    return known;
}

} // namespace trainscope::cli
