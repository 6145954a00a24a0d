#pragma once
// PowerChoice: which of two accounts of one GPU's power is written: what it was asked for with each
// sample, or the samples that its driver kept by itself, by their own stamps.
//
// The driver's are taken where they resolve more: over the same time they change half as often
// again at least, and go up and down as much (an average of a second changes often and goes
// nowhere). As long as too few changes of either have been seen what was asked for is written,
// after two seconds in which either could be taken from the begin on.

#include "core/model/Time.h"
#include "importers/record/Probe.h"

namespace trainscope::record {

class PowerChoice {
public:
    // In order of time, each; source numbers, NaN for missing.
    void addAsked(KeptSample sample);
    void addKept(KeptSample sample);

    // Samples to write now, behind those taken before. `isLast`: nothing comes any more.
    std::vector<KeptSample> take(TimeNs now, bool isLast);

    // True once the driver's samples are of no use any longer.
    [[nodiscard]] bool hasLeftKept() const { return m_source == Source::Asked; }
    // For people: "the driver's own samples, …".
    [[nodiscard]] std::string words() const;

private:
    enum class Source { Undecided, Asked, Kept };

    void decide();
    std::vector<KeptSample> unwritten(const std::vector<KeptSample>& samples);

    Source m_source = Source::Undecided;
    std::vector<KeptSample> m_asked; // late ones: not written, or needed to decide
    std::vector<KeptSample> m_kept; // likewise
    std::optional<TimeNs> m_begin; // the asked ones'
    TimeNs m_written; // the last
    double m_askedPerSecond = 0.0; // changes, when it was decided
    double m_keptPerSecond = 0.0;
    std::string m_why;
};

} // namespace trainscope::record
