package api

// Features says what the store behind the server can and cannot promise.
type Features struct {
	Store                string `json:"store" example:"etcd"`
	Safety               string `json:"safety" enum:"best effort,single machine,linearizable"`
	Layout               string `json:"layout" enum:"queue,single"`
	MinTTL               int64  `json:"min_ttl_ms"`
	MaxTTL               int64  `json:"max_ttl_ms" doc:"0 is no bound."`
	ExpirySlack          int64  `json:"expiry_slack_ms" doc:"How late after its TTL the store may free a session."`
	RenewLag             int64  `json:"renew_lag_ms"`
	Tokens               bool   `json:"tokens"`
	Fair                 bool   `json:"fair"`
	Shared               bool   `json:"shared"`
	TryMayFailSpuriously bool   `json:"try_may_fail_spuriously"`
	Map                  bool   `json:"map" doc:"It has a map beside the lines: entries, configuration, once."`
	TryAll               bool   `json:"try_all"`
	Attach               bool   `json:"attach" doc:"A session may be used through any server over this store. Else it lives and ends with the server that opened it."`
}
