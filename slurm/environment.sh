# shellcheck shell=bash
# Sourced by the *.sbatch files: where ringpose is, modules, and settings of Open MPI and NCCL with their reasons.
# Change the first block for your cluster; what is exported already is left alone.

# --- your cluster ----------------------------------------------------------------------------------------------------
# module load openmpi/4.1 hdf5 opencv ffmpeg yaml-cpp      # what `launch/setup.sh --check --cuda` called missing
# module load cuda/12.8                                    # only where launch/setup.sh asked for a CUDA 12 toolkit

# The project folder; sbatch copies scripts away, so they cannot find it by their own place.
RINGPOSE_ROOT=${RINGPOSE_ROOT:-${SLURM_SUBMIT_DIR:-$PWD}}
RINGPOSE=${RINGPOSE:-$RINGPOSE_ROOT/build/release/launch/ringpose}
if [ ! -x "$RINGPOSE" ]; then
  echo "No ringpose in $RINGPOSE. Submit from the project folder, or set RINGPOSE_ROOT (the project) or RINGPOSE (the program)." >&2
  exit 1
fi

# --- Slurm and Open MPI ----------------------------------------------------------------------------------------------
# Slurm's default PMIx fence can let ranks leave MPI_Init early, seen as random crashes at start; the ring does not.
export SLURM_PMIX_FENCE=${SLURM_PMIX_FENCE:-ring}
# sbatch's --cpus-per-task does not reach srun from Slurm 22.05 on.
export SRUN_CPUS_PER_TASK=${SRUN_CPUS_PER_TASK:-${SLURM_CPUS_PER_TASK:-1}}

# --- NCCL ------------------------------------------------------------------------------------------------------------
# One line naming version and network, so that a log shows when NCCL fell back from InfiniBand to sockets.
export NCCL_DEBUG=${NCCL_DEBUG:-VERSION}
# The interface for NCCL's start-up where the first one is not routed between nodes (look at `ip addr` on two nodes):
# export NCCL_SOCKET_IFNAME=ib0

# launch_ranks COMMAND...: one rank per task of the job. srun where this Slurm has PMIx, which Open MPI needs; mpirun elsewhere.
launch_ranks() {
  # The list goes to stderr; older and some vendors' builds lack PMIx.
  if [ "${RINGPOSE_LAUNCHER:-srun}" = srun ] && srun --mpi=list 2>&1 | grep -q pmix; then
    # A rank that ends early must end the others too: they would wait for it for ever.
    srun --mpi=pmix --kill-on-bad-exit=1 --wait=60 "$@"
  else
    # Slots and hosts come from Slurm; --bind-to none leaves each rank the processors that its worker threads need.
    mpirun --bind-to none -n "$SLURM_NTASKS" "$@"
  fi
}
