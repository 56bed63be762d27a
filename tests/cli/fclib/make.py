"""Writes the HDF5 files of this folder, in FCLib's layout, with h5py (pip install h5py numpy; HDF5 2.0).

Two boxes on a ground with four contacts. `global.hdf5` has their masses and directions, `local_*.hdf5` the same
problem as numpy reduces it, in each of FCLib's three forms of a matrix and compressed. `global_joint.hdf5` also has a bar
that keeps the boxes' distance, `local_joint.hdf5` the same as V and R. `plane.hdf5` is a block that slides in two dimensions.
"""

import os

import h5py
import numpy as np


def matrix(file, path, a, form="csc", compress=False):
    rows, columns = a.shape
    if form == "triplet":
        i, p = np.nonzero(a)
        x, nz = a[i, p], len(i)
    else:
        b = a.T if form == "csc" else a
        p, i, x, nz = [0], [], [], -1 if form == "csc" else -2
        for line in b:
            (at,) = np.nonzero(line)
            i.extend(at)
            x.extend(line[at])
            p.append(len(i))
    group = file.create_group(path)
    for name, value in [("m", rows), ("n", columns), ("nz", nz), ("nzmax", len(x))]:
        group.create_dataset(name, data=np.array([value], dtype="i4"))
    options = dict(compression="gzip", shuffle=True, chunks=(8,)) if compress else {}
    group.create_dataset("p", data=np.array(p, dtype="i4"), **options)
    group.create_dataset("i", data=np.array(i, dtype="i4"), **options)
    group.create_dataset("x", data=np.array(x, dtype="f8"), **options)


def problem(name, group, dimension, matrices, vectors, form="csc", compress=False):
    with h5py.File(name, "w", libver="v110" if compress else "earliest") as file:
        file.create_dataset(f"{group}/spacedim", data=np.array([dimension], dtype="i4"))
        for key, a in matrices.items():
            matrix(file, f"{group}/{key}", a, form, compress)
        for key, v in vectors.items():
            file.create_dataset(f"{group}/vectors/{key}", data=np.asarray(v, dtype="f8"))
        file.create_dataset(f"{group}/info/title", data=np.bytes_(name.removesuffix(".hdf5")))


def skew(r):
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


m = np.zeros((12, 12))
for body, mass in enumerate([2.0, 3.0]):
    m[6 * body : 6 * body + 3, 6 * body : 6 * body + 3] = mass * np.eye(3)
    m[6 * body + 3 : 6 * body + 6, 6 * body + 3 : 6 * body + 6] = mass * np.array(
        [[0.2, 0.01, 0], [0.01, 0.3, 0.02], [0, 0.02, 0.4]]
    )
frame = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=float)  # columns: normal, tangents
h = np.zeros((12, 12))
arms = [[0.5, 0.4, -0.5], [-0.5, -0.3, -0.5], [0.6, 0.2, -0.4], [-0.5, 0.1, -0.5]]
for contact, (body, arm) in enumerate(zip([0, 0, 1, 1], arms)):
    columns = slice(3 * contact, 3 * contact + 3)
    h[6 * body : 6 * body + 3, columns] = frame
    h[6 * body + 3 : 6 * body + 6, columns] = skew(arm) @ frame
v = np.array([0.3, -0.2, -1.0, 0.1, 0.2, 0.0, -1.5, 0.4, -0.8, 0.0, -0.3, 0.2])
f = m @ v
w = np.zeros(12)
w[0] = 0.125
mu = np.array([0.3, 0.3, 0.8, 0.0])
problem("global.hdf5", "/fclib_global", 3, {"M": m, "H": h}, {"f": f, "w": w, "mu": mu})
inverse = np.linalg.inv(m)
operator, q = h.T @ inverse @ h, h.T @ inverse @ f + w
for form in ["csc", "csr", "triplet"]:
    problem(f"local_{form}.hdf5", "/fclib_local", 3, {"W": operator}, {"q": q, "mu": mu}, form)
problem("local_gzip.hdf5", "/fclib_local", 3, {"W": operator}, {"q": q, "mu": mu}, compress=True)

g = np.zeros((12, 1))
g[0], g[6] = 1.0, -1.0
b = np.array([0.05])
problem(
    "global_joint.hdf5",
    "/fclib_global",
    3,
    {"M": m, "H": h, "G": g},
    {"f": f, "w": w, "mu": mu, "b": b},
)
r, coupling = g.T @ inverse @ g, h.T @ inverse @ g
s = b + g.T @ inverse @ f
problem(
    "local_joint.hdf5",
    "/fclib_local",
    3,
    {"W": operator, "V": coupling, "R": r},
    {"q": q, "mu": mu, "s": s},
)

# 2 kg that slide at 3 m/s and fall at 1 m/s: r = (2, -1), u = (0, 2.5).
problem("plane.hdf5", "/fclib_local", 2, {"W": 0.5 * np.eye(2)}, {"q": [-1.0, 3.0], "mu": [0.5]})

# Files that are to be refused: the name says why.
os.makedirs("broken", exist_ok=True)


def broken(name, change, group="/fclib_local"):
    with h5py.File(f"broken/{name}.hdf5", "w", libver="latest") as file:
        file.create_dataset(f"{group}/spacedim", data=np.array([3], dtype="i4"))
        matrix(file, f"{group}/W", np.eye(3))
        file.create_dataset(f"{group}/vectors/q", data=np.zeros(3))
        file.create_dataset(f"{group}/vectors/mu", data=np.zeros(1))
        change(file)


def put(path, data):
    def change(file):
        if path in file:
            del file[path]
        if data is not None:
            file[path] = data

    return change


def int4(*numbers):
    return np.array(numbers, dtype="i4")


broken("no_q", put("/fclib_local/vectors/q", None))
broken("short_q", put("/fclib_local/vectors/q", np.zeros(2)))
broken("nan_in_q", put("/fclib_local/vectors/q", np.array([0, np.nan, 0])))
broken("text_for_q", put("/fclib_local/vectors/q", np.array([b"a", b"b", b"c"])))
broken("negative_mu", put("/fclib_local/vectors/mu", np.array([-0.5])))
broken("five_dimensions", put("/fclib_local/spacedim", int4(5)))
broken("unknown_storage", put("/fclib_local/W/nz", int4(-3)))
broken("too_many_triplets", put("/fclib_local/W/nz", int4(2**31 - 1)))
broken("no_numbers_of_rows", put("/fclib_local/W/m", int4(-1)))
broken("huge_matrix", put("/fclib_local/W/n", int4(2**31 - 1)))
broken("descending_starts", put("/fclib_local/W/p", int4(0, 2, 1, 3)))
broken("row_beyond", put("/fclib_local/W/i", int4(0, 1, 3)))
broken("negative_row", put("/fclib_local/W/i", int4(0, 1, -1)))
broken("rolling", lambda file: None, "/fclib_global_rolling")
broken("something_else", lambda file: None, "/other")
