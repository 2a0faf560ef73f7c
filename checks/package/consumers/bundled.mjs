// The entry of a bundle of ES modules in which the package is required.
import './required.cjs'
