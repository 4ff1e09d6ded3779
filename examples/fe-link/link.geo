// A milled aluminium link, 500 mm between its bores: two bosses, a slim web with a slot.  Millimetres.
SetFactory("OpenCASCADE");
L = 500;
Cylinder(1) = {0, 0, -20, 0, 0, 40, 40};
Cylinder(2) = {L, 0, -15, 0, 0, 30, 30};
Box(3) = {0, -20, -6, L, 40, 12};
BooleanUnion(10) = { Volume{1}; Delete; }{ Volume{2, 3}; Delete; };
Cylinder(11) = {0, 0, -60, 0, 0, 120, 25};
Cylinder(12) = {L, 0, -60, 0, 0, 120, 18};
Box(13) = {120, -11, -60, 260, 22, 120};
BooleanDifference(20) = { Volume{10}; Delete; }{ Volume{11, 12, 13}; Delete; };
e = 1e-3;
base[] = Surface In BoundingBox {-25 - e, -25 - e, -20 - e, 25 + e, 25 + e, 20 + e};
tip[] = Surface In BoundingBox {L - 18 - e, -18 - e, -15 - e, L + 18 + e, 18 + e, 15 + e};
Physical Volume("BODY") = {20};
Physical Surface("BASE") = {base[]};
Physical Surface("TIP") = {tip[]};
Mesh.MeshSizeMax = 18; Mesh.MeshSizeMin = 8; Mesh.MeshSizeFromCurvature = 12;
Mesh.ElementOrder = 2; Mesh.HighOrderOptimize = 2; Mesh.SaveGroupsOfNodes = 1;
