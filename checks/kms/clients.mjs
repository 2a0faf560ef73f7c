// The clients of the services, as their own packages have them.
import { cached } from '../tools/cache.mjs'

export const CLIENTS = () => cached('@aws-sdk/client-kms@3.1164.0')
export const GOOGLE = () => cached('@google-cloud/kms@5.7.0')
export const AZURE = () => cached('@azure/keyvault-keys@4.9.0')
