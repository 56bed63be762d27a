//! Imports go one way: each module uses only those before it in the pipeline.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Modules in the order of the pipeline; a module may use those before it, and itself.
const ORDER: [&str; 18] = [
    "constants",
    "error",
    "math",
    "parallel",
    "simd",
    "lcp",
    "problem",
    "solver",
    "world",
    "collide",
    "measure",
    "stabilize",
    "event",
    "step",
    "scene",
    "output",
    "problem_file",
    "internals",
];

/// A file's module, and every `crate::module` it names.
fn imports(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| {
            line.match_indices("crate::").map(|(at, prefix)| {
                line[at + prefix.len()..]
                    .chars()
                    .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                    .collect::<String>()
            })
        })
        .filter(|name| ORDER.contains(&name.as_str()))
        .collect()
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

fn rank(module: &str) -> usize {
    ORDER.iter().position(|&name| name == module).unwrap()
}

#[test]
fn modules_use_only_what_comes_before_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    assert!(files.len() > 30, "only {} files found", files.len());
    let mut imports_seen = 0;
    let mut wrong = Vec::new();
    for file in &files {
        let relative = file.strip_prefix(&root).unwrap();
        let first = relative.iter().next().unwrap().to_str().unwrap();
        let module = first.trim_end_matches(".rs");
        if ["lib", "cli"].contains(&module) {
            continue;
        }
        for import in imports(file) {
            imports_seen += 1;
            if rank(&import) > rank(module) {
                wrong.push(format!("{} uses {import}", relative.display()));
            }
        }
    }
    assert!(imports_seen > 50, "only {imports_seen} imports found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn library_lists_every_module_in_order() {
    let lib = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let listed: Vec<&str> = lib
        .lines()
        .map(|line| line.strip_prefix("pub ").unwrap_or(line))
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    assert_eq!(listed, ORDER);
}

/// Packages with a lock file of their own list what the library needs always: else `--locked` refuses them, which no other test would tell.
#[test]
fn other_lock_files_have_what_the_library_needs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| fs::read_to_string(root.join(name)).expect(name);
    let manifest = read("Cargo.toml");
    let (_, needed) = manifest.split_once("\n[dependencies]\n").expect("no list");
    // What is optional comes after an empty line.
    let (needed, _) = needed.split_once("\n\n").expect("nothing is optional");
    let needed: Vec<&str> = needed
        .lines()
        .filter_map(|line| line.split(" =").next())
        .collect();
    assert!(needed.contains(&"rayon"), "{needed:?}");
    for folder in [
        "benches/peers",
        "bindings/hosts/avian",
        "bindings/hosts/rapier",
        "fuzz",
    ] {
        let lock = read(&format!("{folder}/Cargo.lock"));
        let (_, listed) = lock
            .split_once("name = \"drystone\"\n")
            .expect("it is not drystone's");
        let (listed, _) = listed.split_once(']').expect("an open list");
        for name in &needed {
            let line = format!(" \"{name}\",\n");
            assert!(listed.contains(&line), "{folder}/Cargo.lock has no {name}");
        }
    }
}

/// Lines without their indentation.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).collect()
}

#[test]
fn lines_of_the_readme_stand_in_programs_that_are_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    for (language, folder) in [
        ("rust", "examples"),
        ("c", "bindings/c/tests/programs"),
        ("python", "bindings/python/examples"),
    ] {
        let opening = format!("```{language}\n");
        let mut blocks = readme.split(opening.as_str()).skip(1).peekable();
        assert!(blocks.peek().is_some(), "no {language} in README.md");
        for block in blocks {
            let wanted = lines(block.split("```").next().unwrap().trim());
            let files = fs::read_dir(root.join(folder)).unwrap();
            let mut texts = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
            let stands = texts.any(|text| {
                lines(&text)
                    .windows(wanted.len())
                    .any(|some| some == wanted)
            });
            assert!(stands, "not in {folder}:\n{}", wanted.join("\n"));
        }
    }
}

/// The examples need no feature: built with all of them, they still use nothing of what one of them brings.
#[test]
fn examples_use_modules_without_features() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("src/lib.rs")).unwrap();
    let lines = lines(&page);
    let of_features = lines
        .windows(2)
        .filter(|pair| pair[0].starts_with("#[cfg(feature"))
        .filter_map(|pair| pair[1].strip_suffix(';')?.split(' ').next_back());
    let of_features: Vec<&str> = of_features.collect();
    assert!(of_features.contains(&"scene") && of_features.contains(&"wgpu"));
    let mut files = Vec::new();
    rust_files(&root.join("examples"), &mut files);
    assert!(files.len() >= 4);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let used = names(&[], &text.replace("drystone::", "crate::"), &[]).used;
        assert!(!used.is_empty(), "{}", file.display());
        for path in used {
            let is_of_feature = of_features.contains(&path[0].as_str());
            assert!(!is_of_feature, "{}: {path:?}", file.display());
        }
    }
}

#[test]
fn library_neither_prints_nor_exits() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    let words = [
        "println!",
        "eprintln!",
        "print!(",
        "process::exit",
        "process::abort",
    ];
    for file in files
        .iter()
        .filter(|file| !file.starts_with(root.join("cli")))
    {
        let text = fs::read_to_string(file).unwrap();
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap();
            for word in words {
                assert!(
                    !code.contains(word),
                    "{}:{}: {word}",
                    file.display(),
                    number + 1
                );
            }
        }
    }
}

/// Bodies of the functions of a name in blocks (`impl`, `trait`) of a type or a trait, in a file as `cargo fmt` leaves it.
fn bodies(text: &str, owner: &str, name: &str) -> String {
    let (mut found, mut is_owners, mut end) = (String::new(), false, None);
    for line in text.lines() {
        if let Some(indent) = &end {
            found.push_str(line);
            found.push('\n');
            if line.starts_with(indent) {
                end = None;
            }
        } else if ["impl", "trait ", "pub"]
            .iter()
            .any(|word| line.starts_with(word))
        {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            is_owners = words.any(|word| word == owner);
        } else if let Some(indent) = line.find(|c| c != ' ')
            && is_owners
            && line.split("fn ").nth(1).is_some_and(|rest| {
                rest.strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with(['(', '<']))
            })
        {
            end = Some(format!("{}}}", &line[..indent]));
        }
    }
    found
}

/// Functions of the path of a step as `src/lib.rs` lists them: owner, name, file.
fn path_of_a_step(page: &str) -> Vec<[&str; 3]> {
    let mut path = Vec::new();
    for row in page.lines().filter_map(|line| line.strip_prefix("//! | `")) {
        let (calls, rest) = row.split_once(" | `").unwrap();
        let (file, _) = rest.split_once('`').unwrap();
        for call in calls.split(", ") {
            let (owner, name) = call.trim_matches('`').split_once("::").unwrap();
            path.push([owner, name, file]);
        }
    }
    path
}

#[test]
fn each_function_of_the_path_of_a_step_calls_the_next() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let page = fs::read_to_string(root.join("lib.rs")).unwrap();
    let path = path_of_a_step(&page);
    let files: BTreeSet<&str> = path.iter().map(|[_, _, file]| *file).collect();
    assert!((2..=10).contains(&path.len()), "{path:?}");
    assert!(files.len() <= 6, "{files:?}");
    let mut body = String::new();
    for (at, [owner, name, file]) in path.iter().enumerate() {
        let before = body;
        body = bodies(&fs::read_to_string(root.join(file)).unwrap(), owner, name);
        assert!(!body.is_empty(), "no {owner}::{name} in {file}");
        if let Some([_, next, _]) = path.get(at + 1) {
            // The closure that a pipeline calls stands in the function before.
            let body = if *name == "pipeline" { &before } else { &body };
            let calls = [format!("{next}("), format!("{next}::<")];
            assert!(
                calls.iter().any(|call| body.contains(call)),
                "{owner}::{name} does not call {next}"
            );
        }
    }
}

/// Paths in a use tree: `a::{b, c::{d, e}}` is a::b, a::c::d, a::c::e.
fn paths_of(tree: &str) -> Vec<Vec<String>> {
    let tree = tree.trim();
    let Some((prefix, list)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap();
        return vec![
            path.split("::")
                .map(|name| name.trim().to_owned())
                .collect(),
        ];
    };
    let prefix: Vec<String> = prefix.split("::").map(str::to_owned).collect();
    let prefix = &prefix[..prefix.len() - 1];
    let (mut depth, mut start, mut paths) = (0, 0, Vec::new());
    let Some(list) = list.strip_suffix('}') else {
        return Vec::new();
    };
    for (at, character) in list.char_indices().chain([(list.len(), ',')]) {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let inner = list[start..at].trim();
                start = at + 1;
                if !inner.is_empty() {
                    let inner = paths_of(inner).into_iter();
                    paths.extend(inner.map(|path| [prefix, &path[..]].concat()));
                }
            }
            _ => {}
        }
    }
    paths
}

/// Names in a module, from the crate's root: in `use` and in its code.
struct Names {
    used: Vec<Vec<String>>,
    /// Names that others find in it and that stand elsewhere.
    imported: BTreeMap<String, Vec<String>>,
}

/// A path from the crate's root, if it begins in this crate.
fn from_root(module: &[String], path: &[String], modules: &[&Vec<String>]) -> Option<Vec<String>> {
    let child = [module, &path[..1]].concat();
    match path[0].as_str() {
        "crate" if module.first().is_some_and(|room| room == "cli") => {
            Some([&["cli".to_owned()], &path[1..]].concat())
        }
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([module, &path[1..]].concat()),
        "super" => {
            let up = path.iter().take_while(|name| *name == "super").count();
            Some([&module[..module.len().checked_sub(up)?], &path[up..]].concat())
        }
        _ => modules.contains(&&child).then(|| [module, path].concat()),
    }
}

fn names(module: &[String], text: &str, modules: &[&Vec<String>]) -> Names {
    let code: Vec<&str> = text
        .lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]") && !line.starts_with("#[cfg(all(test"))
        .map(|line| line.split("//").next().unwrap())
        .collect();
    let (mut used, mut imported) = (Vec::new(), BTreeMap::new());
    for statement in code.join("\n").split(';') {
        let mut lines = statement.split_inclusive('\n').rev();
        let mut tree = String::new();
        // From the last line back to the one that begins with `use`.
        let begins = lines.any(|line| {
            let words = line.trim_start();
            let words = words.strip_prefix("pub").map_or(words, |rest| {
                rest.split_once(' ').map_or(rest, |(_, rest)| rest)
            });
            tree.insert_str(0, words.strip_prefix("use ").unwrap_or(line));
            words.starts_with("use ")
        });
        if !begins {
            continue;
        }
        for path in paths_of(&tree) {
            if let Some(path) = from_root(module, &path, modules) {
                imported.insert(path.last().unwrap().clone(), path.clone());
                used.push(path);
            }
        }
    }
    for line in &code {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
        for word in line
            .split(|c| !is_name(c))
            .filter(|word| word.contains("::"))
        {
            let path: Vec<String> = word.split("::").map(str::to_owned).collect();
            if path.iter().any(String::is_empty) {
                continue;
            }
            match imported.get(&path[0]) {
                Some(root) => used.push([&root[..], &path[1..]].concat()),
                None => used.extend(from_root(module, &path, modules)),
            }
        }
    }
    Names { used, imported }
}

/// The module in which a name stands that others may have handed on.
fn home(path: &[String], all: &BTreeMap<Vec<String>, Names>) -> Vec<String> {
    let mut path = path.to_vec();
    for _ in 0..6 {
        let depth = (0..=path.len())
            .rev()
            .find(|&n| all.contains_key(&path[..n]))
            .unwrap_or(0);
        let module = path[..depth].to_vec();
        match path
            .get(depth)
            .and_then(|name| all.get(&module)?.imported.get(name))
        {
            Some(root) if root[..] != path[..=depth] => {
                path = [&root[..], &path[depth + 1..]].concat();
            }
            _ => return module,
        }
    }
    path
}

#[test]
fn files_of_a_room_do_not_use_each_other_in_circles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    let mut texts = BTreeMap::new();
    for file in files {
        let relative = file.strip_prefix(&root).unwrap().with_extension("");
        let mut module: Vec<String> = relative
            .iter()
            .map(|part| part.to_str().unwrap().to_owned())
            .collect();
        if ["mod", "lib", "main"].contains(&module.last().unwrap().as_str()) {
            module.pop();
        }
        // What only tests are made of.
        if !["tests", "models"].contains(&module.last().map_or("", String::as_str)) {
            texts.insert(module, fs::read_to_string(&file).unwrap());
        }
    }
    let modules: Vec<&Vec<String>> = texts.keys().collect();
    let all: BTreeMap<Vec<String>, Names> = texts
        .iter()
        .map(|(module, text)| (module.clone(), names(module, text, &modules)))
        .collect();
    // By room, who uses whom of those that stand in it.
    let mut uses: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (module, names) in &all {
        for used in &names.used {
            let used = home(used, &all);
            let common = module.iter().zip(&used).take_while(|(a, b)| a == b).count();
            if let (Some(from), Some(to)) = (module.get(common), used.get(common)) {
                let room = uses.entry(module[..common].join("/")).or_default();
                room.entry(from.clone()).or_default().insert(to.clone());
            }
        }
    }
    assert!(uses.len() > 20, "only {} rooms", uses.len());
    let mut circles = Vec::new();
    for (room, mut uses) in uses {
        // Whoever uses nobody, or is used by nobody, is in no circle; the others are, or stand between two.
        loop {
            let users: BTreeSet<String> = uses.keys().cloned().collect();
            let used: BTreeSet<String> = uses.values().flatten().cloned().collect();
            let before = uses.len();
            uses.retain(|file, _| used.contains(file));
            for of_file in uses.values_mut() {
                of_file.retain(|file| users.contains(file));
            }
            uses.retain(|_, of_file| !of_file.is_empty());
            if uses.len() == before {
                break;
            }
        }
        if !uses.is_empty() {
            circles.push((room, uses));
        }
    }
    assert!(circles.is_empty(), "{circles:#?}");
}
