#!/usr/bin/env python3
# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# Writes plate.inp for CalculiX (Debian: calculix-ccx 2.20), a cantilever plate of second-order shells S8R:
#   ./make_deck.py && ccx plate
# plate.dat then has, in Hz: 9.428757 31.71619 58.59261 107.0083 145.7765 168.0720 218.3449 231.9005, the numbers of
# tests/body/plate_test.cpp.
nx, ny = 48, 32; L,W,h=0.6,0.4,0.004
E,nu,rho=70e9,0.3,2700
ids={};lines=[];n=0
for j in range(2*ny+1):
    for i in range(2*nx+1):
        if i%2 and j%2: continue
        n+=1; ids[i,j]=n; lines.append(f"{n}, {L*i/(2*nx):.9g}, {W*j/(2*ny):.9g}, 0")
el=[];e=0
for j in range(ny):
    for i in range(nx):
        e+=1;a,b=2*i,2*j
        q=[(a,b),(a+2,b),(a+2,b+2),(a,b+2),(a+1,b),(a+2,b+1),(a+1,b+2),(a,b+1)]
        el.append(f"{e}, "+", ".join(str(ids[k]) for k in q))
root=[ids[0,j] for j in range(2*ny+1)]
open('plate.inp','w').write(f"""** Cantilever plate 600 x 400 x 4 mm, E = 70 GPa, nu = 0.3, 2700 kg/m3: {nx} x {ny} shells S8R, m-kg-s.
** SPDX-FileCopyrightText: limber contributors
** SPDX-License-Identifier: Apache-2.0
*NODE, NSET=ALL
"""+"\n".join(lines)+"\n*ELEMENT, TYPE=S8R, ELSET=PLATE\n"+"\n".join(el)+"\n*NSET, NSET=ROOT\n"+",\n".join(", ".join(map(str,root[k:k+8])) for k in range(0,len(root),8))+f"""
*MATERIAL, NAME=AL
*ELASTIC
{E:g}, {nu}
*DENSITY
{rho}
*SHELL SECTION, ELSET=PLATE, MATERIAL=AL
{h}
*BOUNDARY
ROOT, 1, 6
*STEP
*FREQUENCY
8
*NODE FILE
U
*END STEP
""")
