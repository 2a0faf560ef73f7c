#!/usr/bin/env node
// Checks everything that others wrote and the packages or their making use: check.mjs
//
// Lock files, known vulnerabilities of crates, licences with the bills of materials, and the hosted workflows; each part must first
// find planted faults. checks/supply/crates.mjs holds the crates of the addon to a list. Needs pip and Go; installs zizmor,
// actionlint and semver into the user's cache folder.
import { commandLine } from '../../scripts/command-line.mjs'
import { needRust } from '../../scripts/tools.mjs'
import { checkAdvisories } from './advisories.mjs'
import { checkLicences } from './licences.mjs'
import { checkLocks } from './locks.mjs'
import { checkWorkflows } from './workflows.mjs'

commandLine(import.meta.url)
needRust()
checkLocks()
checkAdvisories()
checkLicences()
checkWorkflows()
