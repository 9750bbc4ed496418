// Open MPI settings that must be in the environment before MPI_Init.
#pragma once

namespace ringpose::mpi {

/// Keeps Open MPI quiet and lets a single process start anywhere. Variables that are set already are left alone; other
/// MPIs ignore them. Real errors (for example an srun without PMIx) are still reported.
void apply_openmpi_settings();

}  // namespace ringpose::mpi
