package comingfrom

import (
	"net/http"

	"github.com/hashicorp/go-retryablehttp"
)

func retryablehttpBefore() (*http.Response, error) {
	client := retryablehttp.NewClient()
	resp, err := client.Get("https://example.com/")
	return resp, err
}
