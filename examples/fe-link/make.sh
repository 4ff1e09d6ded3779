#!/bin/bash
# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# examples/fe-link/make.sh [FOLDER]: geometry -> mesh -> matrices -> modal body -> run -> page, in FOLDER (default
# out/fe-link).  Debian packages gmsh and calculix-ccx (scripts/packages fe) and build/limber (make build).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
limber=${LIMBER:-$here/../../build/limber}
folder=${1:-$here/../../out/fe-link}
mkdir -p "$folder"
cp "$here"/{link.geo,link.inp,model.yaml,scenario.yaml} "$folder"
cd "$folder"

gmsh -3 link.geo -format inp -o raw.inp >gmsh.log
# gmsh also writes the elements of physical surfaces, for which CalculiX would want sections: their nodes are enough.
awk '/^\*/ { keep = !/CPS|^\*Heading|^\*ELSET,ELSET=(BASE|TIP)/ } keep' raw.inp >link_msh.inp
ccx link >ccx.log                                   # link.sti, link.mas, link.dof
"$limber" modes calculix link --mesh link_msh.inp --units mm-t-s --interface base=BASE --interface tip=TIP \
  --modes 8 --damping 0.005 -o link.h5
"$limber" info link.h5 --report modes.html >info.txt
"$limber" run scenario.yaml -o fe-link.h5 --report
