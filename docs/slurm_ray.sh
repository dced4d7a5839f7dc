#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Runs one command of unbounded on a Ray cluster of all nodes of a SLURM job:
#
#     sbatch --nodes=4 slurm_ray.sh match ubfm mcts --game hex --games 1000
#
# Activate your environment here, or before sbatch: every node needs unbounded and Ray.
#SBATCH --job-name=unbounded
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --time=01:00:00
#SBATCH --signal=B:TERM@120

set -euo pipefail

# Only who has the token can use the cluster. It is new for every job, and srun passes it on.
export RAY_AUTH_MODE=token
RAY_AUTH_TOKEN=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
export RAY_AUTH_TOKEN

mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
head=${nodes[0]} # this script runs there
others=$((${#nodes[@]} - 1))
# The first IPv4 address of this node; set RAY_IP where another network is to be used.
ip=${RAY_IP:-$(hostname -I | tr ' ' '\n' | grep -m1 '\.')}
address=$ip:${RAY_PORT:-6379}
trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT

srun --nodes=1 --ntasks=1 --overlap --nodelist="$head" \
    ray start --head --block --node-ip-address="$ip" --port="${address#*:}" \
    --include-dashboard=false >ray_head.log 2>&1 &
for attempt in {1..60}; do
    ray status --address="$address" >/dev/null 2>&1 && break
    if [ "$attempt" = 60 ]; then
        echo "Ray did not start on $head: see ray_head.log" >&2
        exit 1
    fi
    sleep 1
done
if [ "$others" -gt 0 ]; then
    srun --nodes="$others" --ntasks="$others" --overlap --exclude="$head" \
        ray start --block --address="$address" >ray_workers.log 2>&1 &
fi

# SLURM sends SIGTERM two minutes before the time is up: the command ends as after Ctrl-C.
stopping=0
program=
trap 'stopping=1; [ -z "$program" ] || kill -TERM "$program"' TERM
unbounded "$@" --ray "$address" &
program=$!
[ "$stopping" = 0 ] || kill -TERM "$program"
status=0
while :; do
    wait "$program" && status=0 || status=$? # a signal ends the waiting, not the program
    kill -0 "$program" 2>/dev/null || break
done
if [ "$status" -gt 128 ]; then # a signal's: the program may have ended just then, with its own
    wait "$program" 2>/dev/null && status=0 || { own=$? && [ "$own" = 127 ] || status=$own; }
fi
exit "$status"
