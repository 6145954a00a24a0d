#pragma once
// All that a user can say of sources whose files leave it open, a field each. Options of the
// command line, controls of the import sheet and the words of errors come from its rows. Any
// thread.

#include "importers/common/Importer.h"

namespace trainscope::app {

// Moments, zones and orders of dates as a user types them, in the import sheet and on the command
// line alike. Thread-safe.

// "2026-04-22 00:08:54.5", "2026-04-22", or unix time: a stamp as logs have it (Stamp.h), in UTC
// unless it names a zone. Absent for anything else.
std::optional<TimeNs> saidMoment(std::string_view text);

// Seconds that a zone is ahead of UTC: "+2", "UTC+02:00", "-0530", "Z", a number of seconds, or a
// name of the time zone database ("Europe/Berlin"), whose offset is that at `wall`: a time of that
// zone's clock as if it were UTC; absent: now. Whole quarters of an hour, 18 hours at most; absent
// for anything else.
std::optional<std::int64_t> saidZone(
    std::string_view text, const std::optional<TimeNs>& wall = std::nullopt);

// "day-first", "month-first". Absent for anything else.
std::optional<importers::DateOrder> saidDates(std::string_view text);

// A unit of a plan with what was said of it.
struct PlannedSource {
    importers::ImportUnit unit;
    std::map<std::string_view, std::string> said = {}; // texts as typed, by the field's key
    std::map<std::string_view, std::string> faulty = {}; // those that cannot be understood
    std::string gpuHint = {}; // recorded, or told by names: "H100 SXM5 (inferred)"

    // True of neither what describes machines nor a run database, which is merged as it is.
    [[nodiscard]] bool isSource() const;
    // The text of that field that could be understood; empty: nothing was said.
    [[nodiscard]] std::string saidOf(std::string_view key) const;
};

struct ImportField {
    enum class Of { Source, Run, Both }; // rows of the sheet that have it

    std::string_view key; // "zone"
    std::string_view label; // "Time zone"
    std::string_view expected; // "an offset such as +02:00, or a name such as Europe/Berlin"
    // True where the source's file leaves it open.
    bool (*isOpen)(const PlannedSource& source);
    // Takes a text over into the unit, an empty one back; false: it cannot be understood.
    bool (*take)(PlannedSource& source, const std::string& text);
    std::string (*hint)(const PlannedSource& source); // the value where nothing is said
    // Words of the unit as it is by now; nullptr: the text as it was said.
    std::string (*stated)(const PlannedSource& source) = nullptr;
    Of of = Of::Both;
    bool isPressing = false; // numbers may be wrong until it is said
    std::vector<std::string_view> choices = {}; // the texts that it takes; empty: any
    // The option of the command line that says it of all sources; empty: none does.
    std::string_view option = {}; // "--utc-offset"
    std::string_view optionValue = {}; // "ZONE"
    std::string_view optionHelp = {};
};

const std::vector<ImportField>& importFields();
const ImportField* findImportField(std::string_view key); // nullptr: there is none

// False where the source does not leave it open, or says so already.
bool say(const ImportField& field, PlannedSource& source, const std::string& text);
// The text of its control: what was said, understood or not, else what the plan proposes.
std::string textOf(const ImportField& field, const PlannedSource& source);

std::vector<int> airflowIn(std::string_view text); // "4, 5, 6, 7"; empty: no list of indices

// Texts by the keys of fields, each of all sources.
using SaidOfAll = std::map<std::string, std::string, std::less<>>;
// Usage where a text cannot be understood, by the option that had it.
Status checkSaid(const SaidOfAll& said);
void sayOfAll(const SaidOfAll& said, importers::ImportUnit& unit);

} // namespace trainscope::app
