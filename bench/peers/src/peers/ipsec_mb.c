// ipsec-mb's direct calls for one message, as functions: the header has them as macros over a manager.
#include <intel-ipsec-mb.h>
#include <stdint.h>

/** A manager with the code for this CPU; NULL without memory, or if the library does not clear its registers. */
IMB_MGR *ipsec_mb_manager(void) {
  IMB_MGR *manager = alloc_mb_mgr(0);
  if (manager == NULL) return NULL;
  init_mb_mgr_auto(manager, NULL);
  if (manager->features & IMB_FEATURE_SAFE_DATA) return manager;
  free_mb_mgr(manager);
  return NULL;
}

const char *ipsec_mb_version(void) { return imb_get_version_str(); }

size_t ipsec_mb_key_bytes(void) { return sizeof(struct gcm_key_data); }

void ipsec_mb_expand(const IMB_MGR *manager, int wide, const uint8_t *key, struct gcm_key_data *expanded) {
  if (wide) IMB_AES256_GCM_PRE(manager, key, expanded);
  else IMB_AES128_GCM_PRE(manager, key, expanded);
}

void ipsec_mb_seal(const IMB_MGR *manager, int wide, const struct gcm_key_data *key, const uint8_t *nonce,
                   uint8_t *data, uint64_t bytes, uint8_t *tag) {
  struct gcm_context_data context;
  if (wide) IMB_AES256_GCM_ENC(manager, key, &context, data, data, bytes, nonce, NULL, 0, tag, 16);
  else IMB_AES128_GCM_ENC(manager, key, &context, data, data, bytes, nonce, NULL, 0, tag, 16);
}

/** Writes the tag that the message should have; the caller compares. */
void ipsec_mb_open(const IMB_MGR *manager, int wide, const struct gcm_key_data *key, const uint8_t *nonce,
                   uint8_t *data, uint64_t bytes, uint8_t *tag) {
  struct gcm_context_data context;
  if (wide) IMB_AES256_GCM_DEC(manager, key, &context, data, data, bytes, nonce, NULL, 0, tag, 16);
  else IMB_AES128_GCM_DEC(manager, key, &context, data, data, bytes, nonce, NULL, 0, tag, 16);
}
