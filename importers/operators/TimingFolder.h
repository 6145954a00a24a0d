#pragma once
// Folders of operator and collective timings, as kernel and NCCL sampling scripts write them (the
// data of arXiv 2509.22832, github.com/Littlesnakess/GPUModeling25): CSV files with a line of
// names,
//
//   <GPU>_<operator>_<precision>.csv                    mp,b,h,l,dim,F_dur(us),B_dur(us)
//   <GPU>_<collective>_<precision>[_<nodes>_<gpus>].csv shape,nodes,GPUsPerNode,dur(us)
//   <GPU>.csv                                           errors of the source's own models
//
// below any folders; the folder of collectives names the fabric ("nccl_perlmutter"). Files
// of operators have the columns that their shape needs. Times in µs; shapes of collectives count
// elements of 16 bits: of the whole tensor, of an all-gather the shard of a rank. mp: tensor
// parallelism, by which the shape of the model is divided; b samples, l tokens, h heads, dim hidden
// size, of a vocabulary of 50257 padded to 128 on each rank.

#include "core/predict/profile/Timings.h"
#include "importers/common/Source.h"

namespace trainscope::importers::operators {

struct TimingFolder {
    predict::Timings timings;
    std::size_t files = 0; // files with timings
    ImportReport report; // lines understood and not, and the first of these as warnings
};

// Files that are no timings are passed over, with a warning where they are CSV; a file that breaks
// off gives what was read of it. Unrecognised where no file is of timings.
Result<TimingFolder> readTimings(const SourceTree& tree, const Progress& progress);

} // namespace trainscope::importers::operators
